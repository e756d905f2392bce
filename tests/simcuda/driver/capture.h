// Stream capture: what a capturing stream is given becomes nodes of a graph. All need the lock.
#ifndef SIM_CAPTURE_H
#define SIM_CAPTURE_H

#include "tests/simcuda/driver/driver.h"

struct sim_capture;
struct sim_device;
struct sim_event;
struct sim_range;
struct sim_stream;
struct sim_work;

bool sim_capturing(CUstream stream);
// Adds the work as a node that follows what the stream did before.
CUresult sim_capture_work(CUstream stream, const struct sim_work *work);
CUresult sim_capture_allocation(CUstream stream, struct sim_device *device, uint64_t bytes, CUdeviceptr *address);
CUresult sim_capture_free(CUstream stream, CUdeviceptr address);
CUresult sim_capture_record(CUstream stream, struct sim_event *event, bool external);
// The stream waits for the event; if that was recorded in a capture, the stream joins it.
CUresult sim_capture_wait(CUstream stream, struct sim_event *event, bool external);
// Something was done that a capture can't contain: the capture is invalid. Returns the error.
CUresult sim_capture_invalidate(struct sim_stream *stream);
// The stream is destroyed.
void sim_capture_abandon(struct sim_stream *stream);

// The state of a stream's capture (NULL: none), and its id and graph where they are asked for.
CUstreamCaptureStatus sim_capture_describe(const struct sim_capture *capture, cuuint64_t *id, CUgraph *graph);

// An error where a capture under way forbids the thread calls of a kind: allocations and the like, synchronisation with
// a context, work in the default stream.
CUresult sim_capture_forbids_unsafe(void);
CUresult sim_capture_forbids_synchronizing(void);
CUresult sim_capture_forbids_default_stream(CUstream stream);

// Frees what a graph's memory node allocated, outside of a graph.
CUresult sim_graph_memory_free(struct sim_range *range);

#endif
