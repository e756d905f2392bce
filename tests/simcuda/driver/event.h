// Events: the time they were recorded at, and the capture they were recorded in.
#ifndef SIM_EVENT_H
#define SIM_EVENT_H

#include "tests/simcuda/driver/driver.h"
#include "tests/simcuda/driver/graph.h"
#include "tests/simcuda/driver/handles.h"

struct sim_capture;

struct sim_event {
    struct sim_object object;
    unsigned flags;
    uint64_t time_ns; // 0: not recorded
    // Of the last record, if that was captured: what a wait for the event depends on.
    struct sim_capture *capture;
    struct sim_nodes before;
};

struct sim_event *sim_event_of(CUevent handle); // needs the lock
// Records the event now, if it still is one. Takes the lock.
void sim_event_stamp(CUevent handle);
void sim_events_end(struct sim_context *context);
// The capture is over: no event points into it any more. Needs the lock.
void sim_events_forget(const struct sim_capture *capture);

#endif
