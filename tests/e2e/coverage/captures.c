/*
 * Coverage: captures that end in other ways than by cuStreamEndCapture's success. Device memory is not looked at while
 * a stream captures, and must be again afterwards: each row creates a stream when its capture is over, by a call of
 * which it makes no other use, and which is followed by such a look. The ledger stays empty.
 */
#include "tests/e2e/coverage/driver.h"

static CUstream begin(void) {
    CUstream stream;

    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    return stream;
}

static void look(void) {
    CUstream stream;

    CU(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0));
}

static int stream_destroyed(void) {
    driver_open();
    if (cuStreamDestroy(begin()) != CUDA_SUCCESS) return ledger_skip("the device keeps a stream that captures");
    look();
    return 0;
}

static int context_destroyed(void) {
    CUdevice device = driver_open();
    CUcontext context;

    CU(cuCtxCreate(&context, NULL, 0, device));
    begin();
    if (cuCtxDestroy(context) != CUDA_SUCCESS) return ledger_skip("the device keeps a context in which it captures");
    look();
    return 0;
}

static int device_reset(void) {
    CUdevice device = driver_open();

    begin();
    if (cuDevicePrimaryCtxReset(device) != CUDA_SUCCESS) return ledger_skip("the device is not reset as it captures");
    driver_open();
    look();
    return 0;
}

static int released(void) {
    CUdevice device = driver_open();

    begin();
    if (cuDevicePrimaryCtxRelease(device) != CUDA_SUCCESS) return ledger_skip("the device is not released");
    driver_open();
    look();
    return 0;
}

// Waiting for the stream can't be captured: the capture is invalid, and has to be ended all the same.
static int invalidated(void) {
    CUgraph graph;

    driver_open();
    CUstream stream = begin();
    driver_expect(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(stream), "sync", __FILE__, __LINE__);
    driver_expect(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph), "end", __FILE__, __LINE__);
    look();
    return 0;
}

// The end of another capture than the stream's fails, and the capture goes on: no look.
static int ended_elsewhere(void) {
    CUgraph graph;
    CUstream other;

    driver_open();
    CU(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    CUstream stream = begin();
    if (cuStreamEndCapture(other, &graph) == CUDA_SUCCESS) return 1;
    look();
    CU(cuStreamEndCapture(stream, &graph));
    look();
    return 0;
}

static const struct ledger_row rows[] = {
    {"stream-destroyed", stream_destroyed}, {"context-destroyed", context_destroyed},
    {"device-reset", device_reset},         {"released", released},
    {"invalidated", invalidated},           {"ended-elsewhere", ended_elsewhere},
};
LEDGER_MAIN(rows)
