// Executable graphs: a graph flattened into steps, its memory's footprint, and the launch, which runs the steps at
// once.
#include "tests/simcuda/driver/capture.h"
#include "tests/simcuda/driver/context.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/graph.h"
#include "tests/simcuda/driver/graph_memory.h"
#include "tests/simcuda/driver/memory.h"
#include "tests/simcuda/driver/pool.h"
#include "tests/simcuda/driver/stream.h"
#include <stdlib.h>

static struct sim_exec *exec_of(CUgraphExec handle) {
    return sim_object_of(handle, SIM_KIND_GRAPH_EXEC);
}

static struct sim_exec_step *new_step(struct sim_exec *exec) {
    if (exec->step_count == exec->step_capacity) {
        size_t capacity = exec->step_capacity ? 2 * exec->step_capacity : 16;
        struct sim_exec_step *steps = realloc(exec->steps, capacity * sizeof(*steps));
        if (!steps) return NULL;
        exec->steps = steps;
        exec->step_capacity = capacity;
    }
    exec->steps[exec->step_count] = (struct sim_exec_step){0};
    return &exec->steps[exec->step_count];
}

static CUresult add_step(void *context, struct sim_node *node) {
    struct sim_exec *exec = context;
    if (node->work.type == SIM_WORK_CHILD) return sim_graph_walk(node->work.child, add_step, exec);
    struct sim_exec_step *step = new_step(exec);
    if (!step || sim_work_copy(&step->work, &node->work)) return CUDA_ERROR_OUT_OF_MEMORY;
    exec->step_count++;
    step->node = node;
    step->block = node->block;
    if (node->block) {
        node->block->references++;
        exec->device = node->block->device;
    }
    return CUDA_SUCCESS;
}

// The most bytes of its own blocks that are live at once when the steps run one after the other.
static uint64_t peak_bytes(const struct sim_exec *exec) {
    uint64_t now = 0, peak = 0;
    for (size_t i = 0; i < exec->step_count; i++) {
        const struct sim_exec_step *step = &exec->steps[i];
        if (step->block) {
            now += step->block->bytes;
            peak = now > peak ? now : peak;
        }
        if (step->work.type == SIM_WORK_FREE)
            for (size_t j = 0; j < i; j++)
                if (exec->steps[j].block && exec->steps[j].work.memory.address == step->work.memory.address)
                    now -= exec->steps[j].block->bytes;
    }
    return peak;
}

static void end(struct sim_exec *exec) {
    if (exec->backed) sim_graph_memory_uncommit(exec->device, exec->footprint);
    for (size_t i = 0; i < exec->step_count; i++) {
        struct sim_graph_block *block = exec->steps[i].block;
        if (block && block->live) sim_graph_block_orphan(block);
        if (block) sim_graph_block_drop(block);
        sim_work_clear(&exec->steps[i].work);
    }
    sim_object_remove(&exec->object);
    free(exec->steps);
    free(exec);
}

static CUresult instantiate(CUgraphExec *result, CUgraph handle, unsigned long long flags) {
    const unsigned long long known = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                                     CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD | CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH |
                                     CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    if (!result || flags & ~known) return CUDA_ERROR_INVALID_VALUE;
    struct sim_exec *exec = calloc(1, sizeof(*exec));
    if (!exec) return CUDA_ERROR_OUT_OF_MEMORY;
    sim_lock();
    sim_object_add(&exec->object, SIM_KIND_GRAPH_EXEC, NULL);
    exec->flags = flags;
    struct sim_graph *graph = sim_graph_of(handle);
    CUresult status = graph ? sim_graph_walk(graph, add_step, exec) : CUDA_ERROR_INVALID_VALUE;
    exec->footprint = sim_round_up(peak_bytes(exec), SIM_POOL_STEP);
    if (status == CUDA_SUCCESS)
        *result = (CUgraphExec)exec;
    else
        end(exec);
    sim_unlock();
    return status;
}

CUresult sim_cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags) {
    return instantiate(phGraphExec, hGraph, flags);
}

CUresult sim_cuGraphInstantiate(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer,
                                size_t bufferSize) {
    if (phErrorNode) *phErrorNode = NULL;
    if (logBuffer && bufferSize) *logBuffer = 0;
    return instantiate(phGraphExec, hGraph, 0);
}

CUresult sim_cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer,
                                   size_t bufferSize) {
    return sim_cuGraphInstantiate(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}

CUresult sim_cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
                                          CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams) {
    if (!instantiateParams) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = instantiate(phGraphExec, hGraph, instantiateParams->flags);
    instantiateParams->hErrNode_out = NULL;
    instantiateParams->result_out =
        result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
    if (result == CUDA_SUCCESS && instantiateParams->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD)
        result = sim_cuGraphUpload(*phGraphExec, instantiateParams->hUploadStream);
    return result;
}

CUresult sim_cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags) {
    if (!flags) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_exec *exec = exec_of(hGraphExec);
    if (exec) *flags = exec->flags;
    sim_unlock();
    return exec ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult back(struct sim_exec *exec) {
    if (exec->backed || !exec->footprint) return CUDA_SUCCESS;
    CUresult result = sim_graph_memory_commit(exec->device, exec->footprint);
    exec->backed = result == CUDA_SUCCESS;
    return result;
}

void sim_execs_lose_memory(const struct sim_device *device) {
    for (struct sim_exec *exec = NULL; (exec = sim_object_next(exec, SIM_KIND_GRAPH_EXEC));)
        if (exec->device == device && exec->backed) {
            sim_graph_memory_uncommit(exec->device, exec->footprint);
            exec->backed = false;
        }
}

CUresult sim_cuGraphUpload(CUgraphExec hGraph, CUstream hStream) {
    sim_lock();
    struct sim_exec *exec = exec_of(hGraph);
    CUresult result = exec && sim_stream_device(hStream) ? back(exec) : CUDA_ERROR_INVALID_VALUE;
    sim_unlock();
    return result;
}

// What an earlier launch left allocated is freed now, if the graph was made so, and an error otherwise.
static CUresult settle_earlier_launch(struct sim_exec *exec) {
    for (size_t i = 0; i < exec->step_count; i++) {
        struct sim_graph_block *block = exec->steps[i].block;
        if (!block || !block->live) continue;
        if (!(exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH)) return CUDA_ERROR_INVALID_VALUE;
        sim_graph_block_free(block);
    }
    return CUDA_SUCCESS;
}

static CUresult run_step(const struct sim_exec_step *step) {
    if (step->work.type != SIM_WORK_ALLOCATE && step->work.type != SIM_WORK_FREE) return sim_work_run(&step->work);
    CUresult result = CUDA_SUCCESS;
    sim_lock();
    if (step->work.type == SIM_WORK_ALLOCATE) {
        sim_graph_block_allocate(step->block);
    } else {
        struct sim_range *range = sim_memory_at(step->work.memory.address, SIM_GRAPH);
        result = range ? sim_graph_block_free(range->owner) : CUDA_ERROR_INVALID_VALUE;
    }
    sim_unlock();
    return result;
}

// A capture takes the steps as nodes, one after the other, where a real one makes a child graph of them; graphs that
// allocate can't be part of another.
static CUresult capture_launch(const struct sim_exec *exec, CUstream stream) {
    CUresult result = exec->footprint ? sim_capture_invalidate(sim_stream_of(stream)) : CUDA_SUCCESS;
    for (size_t i = 0; result == CUDA_SUCCESS && i < exec->step_count; i++)
        result = sim_capture_work(stream, &exec->steps[i].work);
    return result;
}

CUresult sim_cuGraphLaunch(CUgraphExec hGraph, CUstream hStream) {
    sim_lock();
    struct sim_exec *exec = exec_of(hGraph);
    CUresult result = exec && sim_stream_device(hStream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && sim_capturing(hStream)) {
        result = capture_launch(exec, hStream);
        sim_unlock();
        return result;
    }
    if (result == CUDA_SUCCESS) result = settle_earlier_launch(exec);
    if (result == CUDA_SUCCESS) result = back(exec);
    sim_unlock();
    for (size_t i = 0; result == CUDA_SUCCESS && i < exec->step_count; i++) result = run_step(&exec->steps[i]);
    return result;
}

CUresult sim_cuGraphExecDestroy(CUgraphExec hGraphExec) {
    sim_lock();
    struct sim_exec *exec = exec_of(hGraphExec);
    if (exec) end(exec);
    sim_unlock();
    return exec ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                               const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_exec *exec = exec_of(hGraphExec);
    struct sim_work *work = NULL;
    for (size_t i = 0; exec && i < exec->step_count && !work; i++)
        if (exec->steps[i].node == sim_node_of(hNode) && exec->steps[i].work.type == SIM_WORK_KERNEL)
            work = &exec->steps[i].work;
    CUresult result = work ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (work) {
        struct sim_work wanted = *work, copy;
        wanted.launch.params = nodeParams->kernelParams;
        wanted.launch.extra = nodeParams->extra;
        wanted.launch.shared_bytes = nodeParams->sharedMemBytes;
        const unsigned grid[] = {nodeParams->gridDimX, nodeParams->gridDimY, nodeParams->gridDimZ};
        const unsigned block[] = {nodeParams->blockDimX, nodeParams->blockDimY, nodeParams->blockDimZ};
        for (int i = 0; i < 3; i++) {
            wanted.launch.grid[i] = grid[i];
            wanted.launch.block[i] = block[i];
        }
        result = sim_work_copy(&copy, &wanted) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
        if (result == CUDA_SUCCESS) {
            sim_work_clear(work);
            *work = copy;
        }
    }
    sim_unlock();
    return result;
}

// Takes over the works of a graph of the same shape: the same types of nodes in the same order, and no memory nodes.
static bool update(struct sim_exec *exec, struct sim_graph *graph) {
    struct sim_exec fresh = {0};
    bool same = sim_graph_walk(graph, add_step, &fresh) == CUDA_SUCCESS && fresh.step_count == exec->step_count;
    for (size_t i = 0; same && i < fresh.step_count; i++)
        same = fresh.steps[i].work.type == exec->steps[i].work.type && !fresh.steps[i].block && !exec->steps[i].block;
    for (size_t i = 0; i < fresh.step_count; i++) {
        if (same) {
            struct sim_exec_step old = exec->steps[i];
            exec->steps[i].work = fresh.steps[i].work;
            fresh.steps[i].work = old.work;
        }
        if (fresh.steps[i].block) sim_graph_block_drop(fresh.steps[i].block);
        sim_work_clear(&fresh.steps[i].work);
    }
    free(fresh.steps);
    return same;
}

CUresult sim_cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo *resultInfo) {
    if (!resultInfo) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_exec *exec = exec_of(hGraphExec);
    struct sim_graph *graph = sim_graph_of(hGraph);
    bool updated = exec && graph && update(exec, graph);
    sim_unlock();
    *resultInfo = (CUgraphExecUpdateResultInfo){.result = updated ? CU_GRAPH_EXEC_UPDATE_SUCCESS
                                                                  : CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED};
    if (!exec || !graph) return CUDA_ERROR_INVALID_VALUE;
    return updated ? CUDA_SUCCESS : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

CUresult sim_cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
                               CUgraphExecUpdateResult *updateResult_out) {
    CUgraphExecUpdateResultInfo info;
    if (!updateResult_out) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = sim_cuGraphExecUpdate_v2(hGraphExec, hGraph, &info);
    *updateResult_out = info.result;
    if (hErrorNode_out) *hErrorNode_out = NULL;
    return result;
}
