/*
 * Coverage: memory owned by graphs. Adding a node or capturing an allocation takes nothing; the physical memory comes
 * at upload or at the first launch, stays when the graph is destroyed, and goes when the device is trimmed. "fact
 * reserved" and "fact used" are the device's own figures for all graphs.
 */
#include "tests/e2e/coverage/driver.h"

#define SIZE (64 * MIB)

static CUdevice device;
static CUstream stream;
static CUgraph graph;
static CUgraphExec executable;

static void open_graph(void) {
    device = driver_open();
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CU(cuGraphCreate(&graph, 0));
}

static void print_graphs(void) {
    cuuint64_t reserved, used;

    CU(cuDeviceGetGraphMemAttribute(device, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &reserved));
    CU(cuDeviceGetGraphMemAttribute(device, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    ledger_fact("reserved", reserved);
    ledger_fact("used", used);
}

static CUdeviceptr add_alloc(CUgraphNode *node) {
    CUDA_MEM_ALLOC_NODE_PARAMS parameters = {.poolProps = driver_pool(device), .bytesize = SIZE};

    CU(cuGraphAddMemAllocNode(node, graph, NULL, 0, &parameters));
    ledger_captured(SIZE, "graph", "cuGraphAddMemAllocNode");
    return parameters.dptr;
}

static void launch(void) {
    CU(cuGraphLaunch(executable, stream));
    CU(cuStreamSynchronize(stream));
}

// Everything ends, and the memory with cuDeviceGraphMemTrim.
static void end(void) {
    CU(cuGraphExecDestroy(executable));
    CU(cuGraphDestroy(graph));
    print_graphs();
    CU(cuDeviceGraphMemTrim(device));
    ledger_minus(SIZE, "graph", "cuDeviceGraphMemTrim");
    print_graphs();
    CU(cuStreamDestroy(stream));
}

static int nodes(void) {
    CUgraphNode alloc, free_node;

    open_graph();
    CUdeviceptr address = add_alloc(&alloc);
    CU(cuGraphAddMemFreeNode(&free_node, graph, &alloc, 1, address));
    CU(cuGraphInstantiateWithFlags(&executable, graph, 0));
    CU(cuGraphUpload(executable, stream));
    CU(cuStreamSynchronize(stream));
    ledger_plus(SIZE, "graph", "cuGraphUpload");
    print_graphs();
    launch();
    launch();
    end();
    return 0;
}

// The same without an upload: the first launch brings the memory.
static int launched(void) {
    CUgraphNode alloc, free_node;

    open_graph();
    CUdeviceptr address = add_alloc(&alloc);
    CU(cuGraphAddMemFreeNode(&free_node, graph, &alloc, 1, address));
    CU(cuGraphInstantiateWithFlags(&executable, graph, 0));
    launch();
    ledger_plus(SIZE, "graph", "cuGraphLaunch");
    launch();
    end();
    return 0;
}

static int generic_nodes(void) {
    CUgraphNodeParams alloc = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC}, release = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE};
    CUDA_GRAPH_INSTANTIATE_PARAMS instantiate = {.flags = 0};
    CUgraphNode first, last;

    open_graph();
    alloc.alloc.poolProps = driver_pool(device);
    alloc.alloc.bytesize = SIZE;
    CU(cuGraphAddNode(&first, graph, NULL, NULL, 0, &alloc));
    ledger_captured(SIZE, "graph", "cuGraphAddNode_v2");
    release.free.dptr = alloc.alloc.dptr;
    CU(cuGraphAddNode(&last, graph, &first, NULL, 1, &release));
    CU(cuGraphInstantiateWithParams(&executable, graph, &instantiate));
    launch();
    ledger_plus(SIZE, "graph", "cuGraphLaunch");
    end();
    return 0;
}

// Stream-ordered calls while the stream captures succeed and allocate nothing.
static int captured(void) {
    CUdeviceptr address;

    device = driver_open();
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    CU(cuMemAllocAsync(&address, SIZE, stream));
    ledger_captured(SIZE, "graph", "cuMemAllocAsync");
    CU(cuMemFreeAsync(address, stream));
    CU(cuStreamEndCapture(stream, &graph));
    CU(cuGraphInstantiateWithFlags(&executable, graph, 0));
    launch();
    ledger_plus(SIZE, "graph", "cuGraphLaunch");
    end();
    return 0;
}

// Capture into a graph that exists already.
static int captured_to_graph(void) {
    CUdeviceptr address;

    open_graph();
    if (cuStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) != CUDA_SUCCESS)
        return ledger_skip("the device does not capture into a graph that exists");
    CU(cuMemAllocAsync(&address, SIZE, stream));
    ledger_captured(SIZE, "graph", "cuMemAllocAsync");
    CU(cuMemFreeAsync(address, stream));
    CU(cuStreamEndCapture(stream, &graph));
    CU(cuGraphInstantiateWithFlags(&executable, graph, 0));
    launch();
    ledger_plus(SIZE, "graph", "cuGraphLaunch");
    end();
    return 0;
}

// No free node: each launch but the first frees what the one before it left.
static int auto_free(void) {
    CUgraphNode alloc;

    open_graph();
    CUdeviceptr address = add_alloc(&alloc);
    CU(cuGraphInstantiateWithFlags(&executable, graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
    launch();
    ledger_plus(SIZE, "graph", "cuGraphLaunch");
    launch();
    print_graphs();
    CU(cuMemFreeAsync(address, stream));
    CU(cuStreamSynchronize(stream));
    end();
    return 0;
}

// What the graph allocates and leaves is freed by the program, in stream order.
static int freed_outside(void) {
    CUgraphNode alloc;

    open_graph();
    CUdeviceptr address = add_alloc(&alloc);
    CU(cuGraphInstantiateWithFlags(&executable, graph, 0));
    launch();
    ledger_plus(SIZE, "graph", "cuGraphLaunch");
    print_graphs();
    CU(cuMemFreeAsync(address, stream));
    CU(cuStreamSynchronize(stream));
    end();
    return 0;
}

static const struct ledger_row rows[] = {
    {"nodes", nodes},
    {"launched", launched},
    {"generic-nodes", generic_nodes},
    {"captured", captured},
    {"captured-to-graph", captured_to_graph},
    {"auto-free", auto_free},
    {"freed-outside", freed_outside},
};
LEDGER_MAIN(rows)
