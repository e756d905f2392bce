// Streams. Work in them runs at once, in the calling thread, so all there is to a stream is its identity, its options
// and the capture it may be in.
#ifndef SIM_STREAM_H
#define SIM_STREAM_H

#include "tests/simcuda/driver/driver.h"
#include "tests/simcuda/driver/graph.h"
#include "tests/simcuda/driver/handles.h"

struct sim_capture;
struct sim_device;

struct sim_stream {
    struct sim_object object;
    uint64_t id;
    unsigned flags;
    int priority;
    struct sim_capture *capture; // NULL: it runs what it is given
    struct sim_nodes tail;       // what its next node follows, in a capture
    CUsynchronizationPolicy sync_policy;
    void *green;
};

// The stream behind a handle; NULL for the default streams and for what isn't a stream. Needs the lock.
struct sim_stream *sim_stream_of(CUstream handle);
// The device that work in the stream is for, or NULL if the handle is no stream. Needs the lock.
struct sim_device *sim_stream_device(CUstream handle);
CUresult sim_stream_new(CUstream *result, struct sim_context *context, unsigned flags, int priority, void *green);
// Everything in the context is done. Not with the lock.
CUresult sim_synchronize(struct sim_context *context);
void sim_streams_end(struct sim_context *context);
bool sim_stream_identify(CUcontext context, CUstream stream, bool per_thread, uint32_t *id);

#endif
