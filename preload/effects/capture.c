/*
 * The streams that capture, see effects/capture.h: a small table under a lock, under which nothing foreign runs,
 * and a count of it for those who only want to know whether there are any. Only its own calls say that a stream is
 * still there, so the driver is never asked about one that another thread may be destroying.
 */
#include "preload/effects/capture.h"

#include <cupti.h>
#include <stdatomic.h>

#include "preload/driver.h"
#include "preload/guard.h"
#include "preload/session.h"
#include "tracer/lock.h"

#define CAPTURES_MAX 256 // at once; of more, those that come last are overlooked

struct capture {
    CUstream stream; // NULL: free
    uint32_t tid;    // of the per-thread default stream, whose handle all threads share; else 0
    CUcontext context;
};

static struct capture captures[CAPTURES_MAX]; // under the lock
static atomic_uint count;                     // of them in use
static struct mt_lock lock;

static CUstream named(CUstream stream, bool per_thread) {
    return !stream && per_thread ? CU_STREAM_PER_THREAD : stream;
}

static uint32_t owner(CUstream stream) {
    return stream == CU_STREAM_PER_THREAD ? mt_thread.tid : 0;
}

// Under the lock. With stream NULL a free one; NULL when there is none.
static struct capture *find(CUstream stream, uint32_t tid) {
    for (unsigned i = 0; i < CAPTURES_MAX; i++) {
        if (captures[i].stream == stream && captures[i].tid == tid) return &captures[i];
    }
    return NULL;
}

static bool knows(CUstream stream) {
    mt_lock_take(&lock);
    bool found = find(stream, owner(stream)) != NULL;
    mt_lock_drop(&lock);
    return found;
}

// Under the lock.
static void end(struct capture *capture) {
    *capture = (struct capture){NULL, 0, NULL};
    atomic_fetch_sub_explicit(&count, 1, memory_order_release);
}

static void forget(CUstream stream) {
    mt_lock_take(&lock);
    struct capture *capture = find(stream, owner(stream));
    if (capture) end(capture);
    mt_lock_drop(&lock);
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
    mt_lock_take(&lock);
    for (unsigned i = 0; i < CAPTURES_MAX; i++) {
        if (captures[i].stream && captures[i].context == context) end(&captures[i]);
    }
    mt_lock_drop(&lock);
}

// All forms have the stream first.
void mt_effect_capture_begin(const struct mt_call *call) {
    CUstream stream = named(((const cuStreamBeginCapture_v2_params *)call->params)->hStream, call->per_thread_stream);
    if (call->result != CUDA_SUCCESS || !stream) return;
    const struct capture begun = {stream, owner(stream), call->context};
    mt_lock_take(&lock);
    struct capture *capture = find(begun.stream, begun.tid);
    if (!capture && (capture = find(NULL, 0))) atomic_fetch_add_explicit(&count, 1, memory_order_release);
    if (capture) *capture = begun;
    mt_lock_drop(&lock);
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
