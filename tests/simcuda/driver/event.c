// The entry points of events. Work is done when it is submitted, so a recorded event is always complete.
#include "tests/simcuda/driver/event.h"
#include "tests/simcuda/driver/capture.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/pool.h"
#include "tests/simcuda/driver/stream.h"
#include <stdlib.h>
#include <time.h>

struct sim_event *sim_event_of(CUevent handle) {
    return sim_object_of(handle, SIM_KIND_EVENT);
}

CUresult sim_cuEventCreate(CUevent *phEvent, unsigned int Flags) {
    const unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (!phEvent || Flags & ~known || (Flags & CU_EVENT_INTERPROCESS && !(Flags & CU_EVENT_DISABLE_TIMING)))
        return CUDA_ERROR_INVALID_VALUE;
    struct sim_event *event = calloc(1, sizeof(*event));
    if (!event) return CUDA_ERROR_OUT_OF_MEMORY;
    event->flags = Flags;
    sim_lock();
    sim_object_add(&event->object, SIM_KIND_EVENT, sim_context_current());
    sim_unlock();
    *phEvent = (CUevent)event;
    return CUDA_SUCCESS;
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void sim_event_stamp(CUevent handle) {
    sim_lock();
    struct sim_event *event = sim_event_of(handle);
    if (event) event->time_ns = now_ns();
    sim_unlock();
}

CUresult sim_cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
    if (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_event *event = sim_event_of(hEvent);
    CUresult result = event && sim_stream_device(hStream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS && sim_capturing(hStream)) {
        result = sim_capture_record(hStream, event, flags & CU_EVENT_RECORD_EXTERNAL);
    } else if (result == CUDA_SUCCESS) {
        event->time_ns = now_ns();
        event->capture = NULL;
    }
    sim_unlock();
    return result;
}

CUresult sim_cuEventRecord(CUevent hEvent, CUstream hStream) {
    return sim_cuEventRecordWithFlags(hEvent, hStream, 0);
}

CUresult sim_cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
    if (Flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_event *event = sim_event_of(hEvent);
    CUresult result = event && sim_stream_device(hStream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS) result = sim_capture_wait(hStream, event, Flags & CU_EVENT_WAIT_EXTERNAL);
    sim_unlock();
    return result;
}

static CUresult check_complete(CUevent hEvent, bool settles) {
    sim_lock();
    struct sim_event *event = sim_event_of(hEvent);
    CUresult result = event ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    if (event && event->capture)
        result = CUDA_ERROR_CAPTURED_EVENT;
    else if (event && settles && event->time_ns)
        sim_pools_settle(event->object.context->device);
    sim_unlock();
    return result;
}

CUresult sim_cuEventQuery(CUevent hEvent) {
    return check_complete(hEvent, false);
}

CUresult sim_cuEventSynchronize(CUevent hEvent) {
    return check_complete(hEvent, true);
}

CUresult sim_cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
    if (!pMilliseconds) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_event *start = sim_event_of(hStart), *end = sim_event_of(hEnd);
    bool timed = start && end && start->time_ns && end->time_ns && !start->capture && !end->capture &&
                 !((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING);
    if (timed) *pMilliseconds = (float)((double)(int64_t)(end->time_ns - start->time_ns) * 1e-6);
    sim_unlock();
    return timed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
    return sim_cuEventElapsedTime_v2(pMilliseconds, hStart, hEnd);
}

static void end_event(struct sim_event *event) {
    sim_nodes_clear(&event->before);
    sim_object_remove(&event->object);
    free(event);
}

CUresult sim_cuEventDestroy_v2(CUevent hEvent) {
    sim_lock();
    struct sim_event *event = sim_event_of(hEvent);
    if (event) end_event(event);
    sim_unlock();
    return event ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuEventDestroy(CUevent hEvent) {
    return sim_cuEventDestroy_v2(hEvent);
}

void sim_events_end(struct sim_context *context) {
    for (struct sim_event *event; (event = sim_object_owned(SIM_KIND_EVENT, context));) end_event(event);
}

// Recorded inside a capture: events of every context may be.
void sim_events_forget(const struct sim_capture *capture) {
    for (struct sim_event *event = NULL; (event = sim_object_next(event, SIM_KIND_EVENT));)
        if (event->capture == capture) event->capture = NULL;
}
