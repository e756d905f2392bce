/*
 * The streams that capture, see effects/capture.h: a table under a lock, under which nothing foreign runs,
 * and a count of it for those who only want to know whether there are any. Only its own calls say that a stream is
 * still there, so the driver is never asked about one that another thread may be destroying.
 */
#include "preload/effects/capture.h"

#include <cupti.h>
#include <stdatomic.h>

#include "preload/driver.h"
#include "preload/effects/registry.h"
#include "preload/guard.h"
#include "preload/session.h"

struct capture {
    struct mt_registry_entry entry; // key: key_of its stream
    CUcontext context;              // under the lock
};

static struct mt_registry captures = MT_REGISTRY(struct capture);
static atomic_uint count; // of them in use

static CUstream named(CUstream stream, bool per_thread) {
    return !stream && per_thread ? CU_STREAM_PER_THREAD : stream;
}

// All threads share the handle of the per-thread default stream: a number that no pointer has stands for each one's.
static uint64_t key_of(CUstream stream) {
    bool shared = stream == CU_STREAM_PER_THREAD;
    return shared ? (uint64_t)mt_thread.tid << 32 | (uintptr_t)CU_STREAM_PER_THREAD : (uintptr_t)stream;
}

static bool knows(CUstream stream) {
    return mt_registry_find(&captures, key_of(stream)) != NULL;
}

// Under the lock.
static void end(struct capture *capture) {
    mt_registry_remove(capture);
    atomic_fetch_sub_explicit(&count, 1, memory_order_release);
}

static void forget(CUstream stream) {
    mt_lock_take(&captures.lock);
    struct capture *capture = mt_registry_find(&captures, key_of(stream));
    if (capture) end(capture);
    mt_lock_drop(&captures.lock);
}

static bool is_capturing(CUstream stream) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    // On the legacy stream the answer is an error while another stream captures: it can't be the one that does.
    return mt_driver.stream_is_capturing && mt_driver.stream_is_capturing(stream, &status) == CUDA_SUCCESS &&
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

bool mt_capture_active(void) {
    return atomic_load_explicit(&count, memory_order_acquire) > 0;
}

bool mt_capture_includes(CUstream stream, bool per_thread) {
    return mt_capture_active() && is_capturing(named(stream, per_thread));
}

CUgraph mt_capture_graph(CUstream stream, bool per_thread) {
    CUstreamCaptureStatus status;
    CUgraph graph = NULL;
    if (!mt_driver.stream_get_capture_info_v2) return NULL;
    CUresult result =
        mt_driver.stream_get_capture_info_v2(named(stream, per_thread), &status, NULL, &graph, NULL, NULL);
    return result == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_ACTIVE ? graph : NULL;
}

bool mt_may_ask(void) {
    return mt_session_may_call_cuda() && !mt_capture_active();
}

// The thread's own mode, which is put back, says which of its calls harm a capture; relaxed: none that can be allowed
// (cuda.h on cuThreadExchangeStreamCaptureMode).
bool mt_ask_begin(CUstreamCaptureMode *mode) {
    *mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (!mt_may_ask()) return false;
    if (mt_driver.thread_exchange_capture_mode && mt_driver.thread_exchange_capture_mode(mode) != CUDA_SUCCESS) {
        return false;
    }
    mt_thread.asking = true;
    mt_thread.mode_before = *mode;
    return true;
}

void mt_ask_end(CUstreamCaptureMode mode) {
    mt_thread.asking = false;
    if (mt_driver.thread_exchange_capture_mode) mt_driver.thread_exchange_capture_mode(&mode);
}

void mt_ask_left(void) {
    if (mt_thread.asking) mt_ask_end((CUstreamCaptureMode)mt_thread.mode_before);
}

void mt_capture_context_ended(CUcontext context) {
    if (!context || !mt_capture_active()) return;
    mt_lock_take(&captures.lock);
    for (struct capture *capture = mt_registry_first(&captures); capture; capture = mt_registry_next(capture)) {
        if (atomic_load(&capture->entry.key) && capture->context == context) end(capture);
    }
    mt_lock_drop(&captures.lock);
}

// All forms have the stream first.
void mt_effect_capture_begin(const struct mt_call *call) {
    CUstream stream = named(((const cuStreamBeginCapture_v2_params *)call->params)->hStream, call->per_thread_stream);
    if (call->result != CUDA_SUCCESS || !stream) return;
    mt_lock_take(&captures.lock);
    struct capture *capture = mt_registry_find(&captures, key_of(stream));
    if (!capture && (capture = mt_registry_claim(&captures, key_of(stream))))
        atomic_fetch_add_explicit(&count, 1, memory_order_release);
    if (capture) {
        capture->context = call->context;
        mt_registry_publish(capture, key_of(stream));
    }
    mt_lock_drop(&captures.lock);
}

// A capture that something invalidated ends here too, with an error; after other errors it goes on. The stream was
// given to a call that has just looked at it, so it can be asked.
void mt_effect_capture_end(const struct mt_call *call) {
    CUstream stream = named(((const cuStreamEndCapture_params *)call->params)->hStream, call->per_thread_stream);
    if (!stream || !mt_capture_active()) return;
    if (call->result == CUDA_SUCCESS || (knows(stream) && !is_capturing(stream))) forget(stream);
}

// A stream that only joined another's capture is not in the table: that capture goes on, until it is ended.
void mt_effect_stream_destroy(const struct mt_call *call) {
    CUstream stream = ((const cuStreamDestroy_v2_params *)call->params)->hStream;
    if (call->result == CUDA_SUCCESS && stream && mt_capture_active()) forget(stream);
}
