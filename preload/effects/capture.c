/*
 * Counting captures, see effects/capture.h.
 */
#include "preload/effects/capture.h"

#include <stdatomic.h>

#include "preload/driver.h"

static atomic_int captures;

bool mt_capture_active(void) {
    return atomic_load_explicit(&captures, memory_order_acquire) > 0;
}

bool mt_capture_includes(CUstream stream, bool per_thread) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (!mt_capture_active() || !mt_driver.stream_is_capturing) return false;
    if (!stream && per_thread) stream = CU_STREAM_PER_THREAD;
    // On the legacy stream the answer is an error while another stream captures: it can't be the one that does.
    return mt_driver.stream_is_capturing(stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void mt_effect_capture_begin(const struct mt_call *call) {
    if (call->result == CUDA_SUCCESS) atomic_fetch_add_explicit(&captures, 1, memory_order_release);
}

void mt_effect_capture_end(const struct mt_call *call) {
    // A capture that something invalidated ends here too, with an error; these errors alone end none.
    if (call->result == CUDA_ERROR_STREAM_CAPTURE_UNMATCHED || call->result == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD ||
        call->result == CUDA_ERROR_ILLEGAL_STATE || call->result == CUDA_ERROR_INVALID_HANDLE) {
        return;
    }
    int count = atomic_load_explicit(&captures, memory_order_relaxed);
    while (count > 0 && !atomic_compare_exchange_weak_explicit(&captures, &count, count - 1, memory_order_release,
                                                               memory_order_relaxed)) {
    }
}
