// Graphs and stream capture on the simulated device: when their memory comes and goes, and what a capture refuses.
#include "tests/unit/simcuda_test.h"

static cudaStream_t stream;

static int open_stream(void **state) {
    if (reset_device(state)) return 1;
    return cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess;
}

static CUdeviceptr add_allocation(CUgraph graph, CUgraphNode *node, size_t bytes) {
    CUDA_MEM_ALLOC_NODE_PARAMS parameters = {.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                           .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}},
                                             .bytesize = bytes};
    expect_ok(cuGraphAddMemAllocNode(node, graph, NULL, 0, &parameters));
    return parameters.dptr;
}

static void memory_comes_at_upload_and_goes_at_trim(void **state) {
    (void)state;
    CUgraph graph;
    CUgraphNode first, last;
    CUgraphExec executable;
    CUdeviceptr address;
    expect_ok(cuGraphCreate(&graph, 0));
    expect_growth(0, address = add_allocation(graph, &first, 64 * MIB));
    expect_growth(0, expect_ok(cuGraphAddMemFreeNode(&last, graph, &first, 1, address)));
    expect_growth(0, expect_ok(cuGraphInstantiate(&executable, graph, 0)));
    expect_growth(64 * MIB, expect_ok(cuGraphUpload(executable, stream)));
    expect_growth(0, expect_ok(cuGraphLaunch(executable, stream)));
    expect_growth(0, expect_ok(cuGraphLaunch(executable, stream)));
    expect_growth(0, expect_ok(cuGraphExecDestroy(executable)));
    expect_growth(0, expect_ok(cuGraphDestroy(graph)));
    expect_growth(-64 * MIB, expect_ok(cuDeviceGraphMemTrim(0)));
}

static void captured_allocation_takes_nothing_until_launched(void **state) {
    (void)state;
    void *block;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    expect_ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    expect_growth(0, expect_ok(cudaMallocAsync(&block, 10 * MIB, stream)));
    expect_ok(cudaMemsetAsync(block, 1, 100, stream));
    expect_growth(0, expect_ok(cudaFreeAsync(block, stream)));
    expect_ok(cudaStreamEndCapture(stream, &graph));
    size_t nodes = 0;
    expect_ok(cudaGraphGetNodes(graph, NULL, &nodes));
    assert_int_equal(nodes, 3);
    expect_ok(cudaGraphInstantiate(&executable, graph, 0));
    expect_growth(32 * MIB, expect_ok(cudaGraphLaunch(executable, stream)));
    assert_int_equal(((char *)block)[99], 1);
    expect_ok(cudaGraphExecDestroy(executable));
    expect_ok(cudaGraphDestroy(graph));
    expect_growth(-32 * MIB, expect_ok(cudaDeviceGraphMemTrim(0)));
}

static void unfreed_memory_forbids_another_launch(void **state) {
    (void)state;
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec executable, automatic;
    uint64_t used;
    expect_ok(cuGraphCreate(&graph, 0));
    CUdeviceptr address = add_allocation(graph, &node, 32 * MIB);
    expect_ok(cuGraphInstantiate(&executable, graph, 0));
    expect_result(cuMemFreeAsync(address, stream), CUDA_ERROR_INVALID_VALUE);
    expect_ok(cuGraphLaunch(executable, stream));
    expect_result(cuGraphLaunch(executable, stream), CUDA_ERROR_INVALID_VALUE);
    expect_ok(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    assert_int_equal(used, 32 * MIB);
    expect_ok(cuMemFreeAsync(address, stream));
    expect_ok(cuGraphLaunch(executable, stream));
    expect_ok(cuGraphExecDestroy(executable));
    expect_growth(0, expect_ok(cuDeviceGraphMemTrim(0)));
    expect_ok(cuMemFree(address));
    expect_growth(-32 * MIB, expect_ok(cuDeviceGraphMemTrim(0)));
    expect_ok(cuGraphInstantiate(&automatic, graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
    expect_ok(cuGraphLaunch(automatic, stream));
    expect_ok(cuGraphLaunch(automatic, stream));
    expect_ok(cuGraphExecDestroy(automatic));
    expect_ok(cuGraphDestroy(graph));
    expect_ok(cuMemFree(address));
    expect_result(cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
}

static void nodes_run_after_those_they_follow(void **state) {
    (void)state;
    cudaGraph_t graph;
    cudaGraphNode_t copy, fill;
    cudaGraphExec_t executable;
    char *block, text[4] = "abc";
    expect_ok(cudaMalloc((void **)&block, 4));
    expect_ok(cudaGraphCreate(&graph, 0));
    struct cudaMemsetParams zero = {.dst = block, .elementSize = 1, .width = 2, .height = 1};
    expect_ok(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &zero));
    expect_ok(cudaGraphAddMemcpyNode1D(&copy, graph, NULL, 0, block, text, 4, cudaMemcpyHostToDevice));
    expect_ok(cudaGraphAddDependencies(graph, &copy, &fill, NULL, 1)); // first the copy, although made later
    expect_ok(cudaGraphInstantiate(&executable, graph, 0));
    assert_int_equal(block[2], 0);
    expect_ok(cudaGraphLaunch(executable, stream));
    assert_memory_equal(block, "\0\0c", 4);
    expect_ok(cudaGraphAddDependencies(graph, &fill, &copy, NULL, 1)); // a circle
    cudaGraphExec_t impossible;
    expect_result(cudaGraphInstantiate(&impossible, graph, 0), cudaErrorInvalidValue);
    expect_ok(cudaGraphExecDestroy(executable));
    expect_ok(cudaGraphDestroy(graph));
    expect_ok(cudaFree(block));
}

static void streams_join_a_capture_by_events(void **state) {
    (void)state;
    cudaStream_t other;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    char *block;
    size_t nodes = 0, edges = 0;
    expect_ok(cudaMalloc((void **)&block, 100));
    expect_ok(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    expect_ok(cudaEventCreate(&fork));
    expect_ok(cudaEventCreate(&join));
    expect_ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    expect_ok(cudaMemsetAsync(block, 0, 1, stream));
    expect_ok(cudaEventRecord(fork, stream));
    expect_ok(cudaStreamWaitEvent(other, fork, 0));
    expect_ok(cudaMemsetAsync(block, 0, 2, other));
    expect_ok(cudaEventRecord(join, other));
    expect_ok(cudaStreamWaitEvent(stream, join, 0));
    expect_ok(cudaMemsetAsync(block, 0, 3, stream));
    expect_result(cudaEventQuery(join), cudaErrorCapturedEvent);
    expect_ok(cudaStreamEndCapture(stream, &graph));
    expect_ok(cudaEventQuery(join));
    expect_ok(cudaGraphGetNodes(graph, NULL, &nodes));
    expect_ok(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
    assert_int_equal(nodes, 3);
    assert_int_equal(edges, 3);
    expect_ok(cudaGraphDestroy(graph));
    expect_ok(cudaFree(block));
}

static void unjoined_work_spoils_the_capture(void **state) {
    (void)state;
    cudaStream_t other;
    cudaEvent_t fork;
    cudaGraph_t graph;
    char *block;
    expect_ok(cudaMalloc((void **)&block, 100));
    expect_ok(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    expect_ok(cudaEventCreate(&fork));
    expect_ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    expect_ok(cudaEventRecord(fork, stream));
    expect_ok(cudaStreamWaitEvent(other, fork, 0));
    expect_ok(cudaMemsetAsync(block, 0, 2, other));
    expect_result(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureUnjoined);
    assert_null(graph);
    expect_ok(cudaMemsetAsync(block, 0, 2, other));
}

static void unsafe_calls_spoil_the_capture_unless_allowed(void **state) {
    (void)state;
    void *block;
    cudaGraph_t graph;
    expect_ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    expect_result(cudaMalloc(&block, 100), cudaErrorStreamCaptureUnsupported);
    expect_result(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    expect_ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    expect_ok(cudaThreadExchangeStreamCaptureMode(&mode));
    expect_ok(cudaMalloc(&block, 100));
    expect_ok(cudaThreadExchangeStreamCaptureMode(&mode));
    expect_ok(cudaStreamEndCapture(stream, &graph));
    expect_ok(cudaGraphDestroy(graph));
    expect_ok(cudaFree(block));
}

static void synchronising_spoils_the_capture(void **state) {
    (void)state;
    cudaGraph_t graph;
    enum cudaStreamCaptureStatus status;
    expect_ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    expect_result(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    expect_ok(cudaStreamIsCapturing(stream, &status));
    assert_int_equal(status, cudaStreamCaptureStatusInvalidated);
    expect_result(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    expect_result(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);
}

// `stream` begins a capture and `other` joins it.
static void join(cudaStream_t other) {
    cudaEvent_t fork;
    expect_ok(cudaEventCreate(&fork));
    expect_ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    expect_ok(cudaEventRecord(fork, stream));
    expect_ok(cudaStreamWaitEvent(other, fork, 0));
    expect_ok(cudaEventDestroy(fork));
}

static void a_stream_that_captures_takes_its_capture_with_it(void **state) {
    (void)state;
    cudaStream_t other;
    enum cudaStreamCaptureStatus status;
    expect_ok(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    join(other);
    expect_ok(cudaStreamDestroy(stream));
    expect_ok(cudaStreamIsCapturing(other, &status));
    assert_int_equal(status, cudaStreamCaptureStatusNone);
    expect_ok(cudaStreamSynchronize(other));
}

static void a_stream_that_joined_a_capture_spoils_it_by_going(void **state) {
    (void)state;
    cudaStream_t other;
    cudaGraph_t graph;
    expect_ok(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    join(other);
    expect_ok(cudaStreamDestroy(other));
    expect_result(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
}

static void reset_takes_graph_memory_too(void **state) {
    (void)state;
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec executable;
    expect_ok(cudaDeviceReset());
    expect_ok(cudaFree(NULL));
    int64_t fresh = used_bytes();
    expect_ok(cuGraphCreate(&graph, 0));
    add_allocation(graph, &node, 32 * MIB);
    expect_ok(cuGraphInstantiate(&executable, graph, 0));
    expect_growth(32 * MIB, expect_ok(cuGraphLaunch(executable, NULL)));
    expect_ok(cudaDeviceReset());
    expect_ok(cudaFree(NULL));
    assert_int_equal(used_bytes(), fresh);
    expect_ok(cuGraphExecDestroy(executable));
    expect_ok(cuGraphDestroy(graph));
    assert_int_equal(used_bytes(), fresh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(memory_comes_at_upload_and_goes_at_trim, open_stream),
        cmocka_unit_test_setup(captured_allocation_takes_nothing_until_launched, open_stream),
        cmocka_unit_test_setup(unfreed_memory_forbids_another_launch, open_stream),
        cmocka_unit_test_setup(nodes_run_after_those_they_follow, open_stream),
        cmocka_unit_test_setup(streams_join_a_capture_by_events, open_stream),
        cmocka_unit_test_setup(unjoined_work_spoils_the_capture, open_stream),
        cmocka_unit_test_setup(unsafe_calls_spoil_the_capture_unless_allowed, open_stream),
        cmocka_unit_test_setup(synchronising_spoils_the_capture, open_stream),
        cmocka_unit_test_setup(a_stream_that_captures_takes_its_capture_with_it, open_stream),
        cmocka_unit_test_setup(a_stream_that_joined_a_capture_spoils_it_by_going, open_stream),
        cmocka_unit_test_setup(reset_takes_graph_memory_too, open_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
