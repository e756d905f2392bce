// What `make bench` times: one kind of call, over and over, in a process of its own. Prints nanoseconds a call.
//   pair pair COUNT     cudaMallocAsync and cudaFreeAsync of 4 KiB
//   pair launch COUNT   launches of an empty kernel
//   pair graph COUNT    launches of a graph of 20 of them
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

__global__ void empty() {
}

static double now_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

static bool pair() {
    void *block;
    return cudaMallocAsync(&block, 4096, 0) == cudaSuccess && cudaFreeAsync(block, 0) == cudaSuccess;
}

static bool launch() {
    empty<<<1, 1>>>();
    return cudaGetLastError() == cudaSuccess;
}

cudaGraphExec_t executable;

static bool make_graph() {
    cudaStream_t stream;
    cudaGraph_t graph;
    if (cudaStreamCreate(&stream) != cudaSuccess) return false;
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) != cudaSuccess) return false;
    for (int i = 0; i < 20; i++) empty<<<1, 1, 0, stream>>>();
    return cudaStreamEndCapture(stream, &graph) == cudaSuccess &&
           cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess;
}

static bool launch_graph() {
    return cudaGraphLaunch(executable, 0) == cudaSuccess;
}

// The device falls behind a host that only launches; waiting now and then, outside the time measured, keeps the queue
// from filling up, which would time the device instead of the call.
int main(int argc, char **argv) {
    if (argc != 3) return 1;
    const bool graph = !strcmp(argv[1], "graph");
    bool (*const call)() = graph ? launch_graph : !strcmp(argv[1], "pair") ? pair : launch;
    const long count = atol(argv[2]), batch = graph ? 50 : 500;
    if (graph && !make_graph()) return 1;
    double spent_ns = 0;
    for (long done = -batch; done < count; done += batch) { // the first batch warms up and is not counted
        const double start = now_ns();
        for (long i = 0; i < batch; i++)
            if (!call()) return 1;
        if (done >= 0) spent_ns += now_ns() - start;
        if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    }
    std::printf("%.1f\n", spent_ns / count);
    return 0;
}
