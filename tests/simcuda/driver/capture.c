// Captures under way: which streams are in which, what the next node of each stream follows, and what a capture
// forbids.
#include "tests/simcuda/driver/capture.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/event.h"
#include "tests/simcuda/driver/graph.h"
#include "tests/simcuda/driver/graph_memory.h"
#include "tests/simcuda/driver/memory.h"
#include "tests/simcuda/driver/stream.h"
#include <pthread.h>
#include <stdlib.h>

struct sim_capture {
    struct sim_capture *next;
    struct sim_graph *graph;
    bool is_programs; // the graph was there before
    struct sim_stream *origin;
    CUstreamCaptureMode mode;
    pthread_t thread;
    cuuint64_t id;
    bool invalid;
};

static struct sim_capture *captures;
static cuuint64_t next_id = 1;
static _Thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

bool sim_capturing(CUstream handle) {
    const struct sim_stream *stream = captures ? sim_stream_of(handle) : NULL;
    return stream && stream->capture;
}

// The node becomes what the stream's next one follows.
static CUresult advance(struct sim_stream *stream, struct sim_node *node) {
    stream->tail.count = 0;
    return sim_nodes_append(&stream->tail, node) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult sim_capture_work(CUstream handle, const struct sim_work *work) {
    struct sim_stream *stream = sim_stream_of(handle);
    struct sim_node *node;
    if (stream->capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    CUresult result = sim_graph_add(stream->capture->graph, work, stream->tail.items, stream->tail.count, &node);
    return result == CUDA_SUCCESS ? advance(stream, node) : result;
}

CUresult sim_capture_allocation(CUstream handle, struct sim_device *device, uint64_t bytes, CUdeviceptr *address) {
    struct sim_stream *stream = sim_stream_of(handle);
    struct sim_node *node;
    if (stream->capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    CUresult result =
        sim_graph_add_allocation(stream->capture->graph, device, bytes, stream->tail.items, stream->tail.count, &node);
    if (result != CUDA_SUCCESS) return result;
    *address = node->work.memory.address;
    return advance(stream, node);
}

// Only what a graph allocated can be freed in one.
CUresult sim_capture_free(CUstream handle, CUdeviceptr address) {
    if (!sim_memory_at(address, SIM_GRAPH)) return CUDA_ERROR_INVALID_VALUE;
    struct sim_work work = {.type = SIM_WORK_FREE, .memory = {.address = address}};
    return sim_capture_work(handle, &work);
}

CUresult sim_capture_record(CUstream handle, struct sim_event *event, bool external) {
    struct sim_stream *stream = sim_stream_of(handle);
    if (external) {
        struct sim_work work = {.type = SIM_WORK_RECORD, .event = (CUevent)event};
        return sim_capture_work(handle, &work);
    }
    if (stream->capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    event->capture = stream->capture;
    event->before.count = 0;
    for (size_t i = 0; i < stream->tail.count; i++)
        if (sim_nodes_add(&event->before, stream->tail.items[i])) return CUDA_ERROR_OUT_OF_MEMORY;
    return CUDA_SUCCESS;
}

CUresult sim_capture_wait(CUstream handle, struct sim_event *event, bool external) {
    struct sim_stream *stream = sim_stream_of(handle);
    bool capturing = stream && stream->capture;
    if (capturing && external) {
        struct sim_work work = {.type = SIM_WORK_WAIT, .event = (CUevent)event};
        return sim_capture_work(handle, &work);
    }
    if (!event->capture) {
        if (!capturing) return CUDA_SUCCESS;
        stream->capture->invalid = true;
        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    if (!stream) // a default stream can't join
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    if (capturing && stream->capture != event->capture) {
        stream->capture->invalid = event->capture->invalid = true;
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    stream->capture = event->capture;
    for (size_t i = 0; i < event->before.count; i++)
        if (sim_nodes_add(&stream->tail, event->before.items[i])) return CUDA_ERROR_OUT_OF_MEMORY;
    return CUDA_SUCCESS;
}

CUresult sim_capture_invalidate(struct sim_stream *stream) {
    stream->capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

static void leave(struct sim_stream *stream) {
    stream->capture = NULL;
    sim_nodes_clear(&stream->tail);
}

// Takes every stream and event out of the capture and frees its record; the graph goes too if the capture failed.
static void end(struct sim_capture *capture, bool failed) {
    if (failed && !capture->is_programs) sim_graph_end(capture->graph);
    for (struct sim_stream *stream = NULL; (stream = sim_object_next(stream, SIM_KIND_STREAM));)
        if (stream->capture == capture) leave(stream);
    sim_events_forget(capture);
    for (struct sim_capture **at = &captures; *at; at = &(*at)->next)
        if (*at == capture) {
            *at = capture->next;
            break;
        }
    free(capture);
}

void sim_capture_abandon(struct sim_stream *stream) {
    struct sim_capture *capture = stream->capture;
    if (capture && capture->origin == stream) {
        end(capture, true);
    } else if (capture) {
        capture->invalid = true;
        leave(stream);
    }
}

// The rule of cuThreadExchangeStreamCaptureMode's description.
CUresult sim_capture_forbids_unsafe(void) {
    CUresult result = CUDA_SUCCESS;
    if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return result;
    for (struct sim_capture *capture = captures; capture; capture = capture->next) {
        bool own = pthread_equal(capture->thread, pthread_self()) && capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
        bool anyones = thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL && capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
        if (own || anyones) {
            capture->invalid = true;
            result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        }
    }
    return result;
}

CUresult sim_capture_forbids_synchronizing(void) {
    CUresult result = CUDA_SUCCESS;
    for (struct sim_capture *capture = captures; capture; capture = capture->next)
        if (capture->origin->object.context == sim_context_current()) {
            capture->invalid = true;
            result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        }
    return result;
}

// The legacy stream waits for the blocking streams, which a captured one can't be waited for.
CUresult sim_capture_forbids_default_stream(CUstream stream) {
    CUresult result = CUDA_SUCCESS;
    if (stream && stream != CU_STREAM_LEGACY) return result;
    for (struct sim_capture *capture = captures; capture; capture = capture->next)
        if (capture->origin->object.context == sim_context_current() &&
            !(capture->origin->flags & CU_STREAM_NON_BLOCKING)) {
            capture->invalid = true;
            result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
        }
    return result;
}

// NULL graph: a new one.
static CUresult begin(CUstream handle, struct sim_graph *graph, const CUgraphNode *before, size_t before_count,
                      CUstreamCaptureMode mode) {
    struct sim_stream *stream = sim_stream_of(handle);
    if (!stream) // a default stream can't be captured
        return sim_stream_device(handle) ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_ERROR_INVALID_HANDLE;
    if (stream->capture) return CUDA_ERROR_ILLEGAL_STATE;
    for (size_t i = 0; i < before_count; i++)
        if (!sim_node_of(before[i]) || sim_node_of(before[i])->graph != graph) return CUDA_ERROR_INVALID_VALUE;
    struct sim_capture *capture = calloc(1, sizeof(*capture));
    if (!capture) return CUDA_ERROR_OUT_OF_MEMORY;
    *capture = (struct sim_capture){.next = captures,
                                    .graph = graph ? graph : sim_graph_new(),
                                    .is_programs = graph,
                                    .origin = stream,
                                    .mode = mode,
                                    .thread = pthread_self(),
                                    .id = next_id++};
    int error = !capture->graph;
    for (size_t i = 0; i < before_count && !error; i++) error = sim_nodes_add(&stream->tail, sim_node_of(before[i]));
    if (error) {
        if (capture->graph && !graph) sim_graph_end(capture->graph);
        sim_nodes_clear(&stream->tail);
        free(capture);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    captures = capture;
    stream->capture = capture;
    return CUDA_SUCCESS;
}

CUresult sim_cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode) {
    if (mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    CUresult result = begin(hStream, NULL, NULL, 0, mode);
    sim_unlock();
    return result;
}

CUresult sim_cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies,
                                         const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                         CUstreamCaptureMode mode) {
    (void)dependencyData;
    if (mode > CU_STREAM_CAPTURE_MODE_RELAXED || (numDependencies && !dependencies)) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_graph *graph = sim_graph_of(hGraph);
    CUresult result = graph ? begin(hStream, graph, dependencies, numDependencies, mode) : CUDA_ERROR_INVALID_VALUE;
    sim_unlock();
    return result;
}

CUresult sim_cuStreamBeginCapture(CUstream hStream) {
    return sim_cuStreamBeginCapture_v2(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

// Marks all that `nodes` come after, themselves included.
static void mark(const struct sim_nodes *nodes, int value) {
    for (size_t i = 0; i < nodes->count; i++)
        if (nodes->items[i]->mark != value) {
            nodes->items[i]->mark = value;
            mark(&nodes->items[i]->before, value);
        }
}

// True if work of a stream that joined isn't followed by the origin's: it would be lost.
static bool has_unjoined(const struct sim_capture *capture) {
    const struct sim_nodes *all = &capture->graph->nodes;
    for (size_t i = 0; i < all->count; i++) all->items[i]->mark = 0;
    mark(&capture->origin->tail, 1);
    for (const struct sim_stream *stream = NULL; (stream = sim_object_next(stream, SIM_KIND_STREAM));)
        for (size_t i = 0; stream->capture == capture && i < stream->tail.count; i++)
            if (!stream->tail.items[i]->mark) return true;
    return false;
}

CUresult sim_cuStreamEndCapture(CUstream hStream, CUgraph *phGraph) {
    if (!phGraph) return CUDA_ERROR_INVALID_VALUE;
    *phGraph = NULL;
    sim_lock();
    struct sim_stream *stream = sim_stream_of(hStream);
    struct sim_capture *capture = stream ? stream->capture : NULL;
    CUresult result = CUDA_SUCCESS;
    if (!capture)
        result = CUDA_ERROR_ILLEGAL_STATE;
    else if (capture->origin != stream)
        result = CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    else if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && !pthread_equal(capture->thread, pthread_self()))
        result = CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    if (result != CUDA_SUCCESS) {
        if (result == CUDA_ERROR_STREAM_CAPTURE_UNMATCHED) capture->invalid = true;
        sim_unlock();
        return result;
    }
    if (capture->invalid)
        result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    else if (has_unjoined(capture))
        result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    if (result == CUDA_SUCCESS) *phGraph = (CUgraph)capture->graph;
    end(capture, result != CUDA_SUCCESS);
    sim_unlock();
    return result;
}

CUresult sim_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
    if (!mode || *mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    CUstreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}

CUstreamCaptureStatus sim_capture_describe(const struct sim_capture *capture, cuuint64_t *id, CUgraph *graph) {
    if (!capture) return CU_STREAM_CAPTURE_STATUS_NONE;
    if (id) *id = capture->id;
    if (graph) *graph = (CUgraph)capture->graph;
    return capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}
