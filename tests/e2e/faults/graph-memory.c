/*
 * Memory of graphs that changes hands: what a graph allocates and does not free is freed by the host, by another graph,
 * or by the next launch. Told "early", frees before the launch and launches again without a free.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        CUresult ok_result = (call);                                                                                   \
        if (ok_result) {                                                                                               \
            fprintf(stderr, "line %d: %d\n", __LINE__, ok_result);                                                     \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static CUdevice device;
static CUstream stream;

static CUdeviceptr add_allocation(CUgraph graph, CUgraphNode *node, size_t bytes) {
    CUDA_MEM_ALLOC_NODE_PARAMS params;
    memset(&params, 0, sizeof params);
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.poolProps.location.id = device;
    params.bytesize = bytes;
    OK(cuGraphAddMemAllocNode(node, graph, NULL, 0, &params));
    return params.dptr;
}

static void launch(CUgraphExec executable) {
    OK(cuGraphLaunch(executable, stream));
    OK(cuStreamSynchronize(stream));
}

// A graph allocates, the host frees: in the stream's order, at once, and after the graph has gone.
static void freed_by_host(void) {
    CUgraph graph;
    CUgraphExec executable;
    CUgraphNode node;
    OK(cuGraphCreate(&graph, 0));
    CUdeviceptr address = add_allocation(graph, &node, 64 << 20);
    OK(cuGraphInstantiate(&executable, graph, 0));
    launch(executable);
    OK(cuMemFreeAsync(address, stream));
    OK(cuStreamSynchronize(stream));
    launch(executable);
    OK(cuMemFree(address));
    launch(executable);
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuMemFree(address));
    OK(cuDeviceGraphMemTrim(device));
}

static void freed_by_graph(void) {
    CUgraph first, second;
    CUgraphExec allocates, frees;
    CUgraphNode node;
    OK(cuGraphCreate(&first, 0));
    OK(cuGraphCreate(&second, 0));
    CUdeviceptr address = add_allocation(first, &node, 32 << 20);
    OK(cuGraphAddMemFreeNode(&node, second, NULL, 0, address));
    OK(cuGraphInstantiate(&allocates, first, 0));
    OK(cuGraphInstantiate(&frees, second, 0));
    launch(allocates);
    launch(frees);
    launch(allocates);
    launch(frees);
    OK(cuGraphExecDestroy(allocates));
    OK(cuGraphExecDestroy(frees));
    OK(cuGraphDestroy(first));
    OK(cuGraphDestroy(second));
    OK(cuDeviceGraphMemTrim(device));
}

static CUgraph captured(CUdeviceptr *address) {
    CUgraph graph;
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemAllocAsync(address, 4 << 20, stream));
    OK(cuStreamEndCapture(stream, &graph));
    return graph;
}

static void freed_by_launch(void) {
    CUgraphExec executable;
    CUdeviceptr address;
    CUgraph graph = captured(&address);
    OK(cuGraphInstantiate(&executable, graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
    for (int i = 0; i < 3; i++) launch(executable);
    OK(cuMemFree(address));
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
}

static void early(void) {
    CUgraphExec executable;
    CUdeviceptr address;
    CUgraph graph = captured(&address);
    printf("free %d\n", cuMemFree(address));
    OK(cuGraphInstantiate(&executable, graph, 0));
    launch(executable);
    printf("launch %d\n", cuGraphLaunch(executable, stream));
    OK(cuMemFree(address));
    printf("free %d\n", cuMemFree(address));
}

int main(int count, char **arguments) {
    CUcontext context;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    if (count > 1 && !strcmp(arguments[1], "early")) {
        early();
    } else {
        freed_by_host();
        freed_by_graph();
        freed_by_launch();
    }
    return 0;
}
