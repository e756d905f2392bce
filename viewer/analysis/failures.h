/*
 * Calls that the driver refused, and an allocator's reports of having run out: what was asked for, from where, and what
 * was live at that moment. Equal failures are one entry with a count, so a program that retries for ever fills no
 * memory. Called by the summary and the view of --errors.
 */
#ifndef MEMTRACE_VIEWER_ANALYSIS_FAILURES_H
#define MEMTRACE_VIEWER_ANALYSIS_FAILURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "viewer/analysis/report.h"

#define MT_RESULT_OUT_OF_MEMORY 2 // CUDA_ERROR_OUT_OF_MEMORY, cuda.h
#define MT_RESULT_DEINITIALIZED 4 // CUDA_ERROR_DEINITIALIZED: what the driver answers after it has shut down at exit

enum mt_failure_kind {
    MT_FAILURE_REQUEST, // memory was asked for
    MT_FAILURE_FREE,    // something was given back that could not be
    MT_FAILURE_CALL,    // any other call
};

struct mt_failure {
    enum mt_failure_kind kind;
    uint32_t api, stack, device;
    uint64_t index;   // of the first event
    uint64_t bytes;   // REQUEST
    uint64_t address; // FREE: what was to be given back, an address or a handle; REQUEST: what was to be registered
    bool host;        // REQUEST: of host memory
    uint64_t graph;   // CALL: the graph that was launched, if it was one; else 0
    uint64_t result;  // CUresult; 0: an allocator's own report
    uint64_t count;
    uint64_t time_ns;             // of the first
    uint64_t used, in_use, total; // on the device, at the first; total 0: unknown
    uint64_t allocated, reserved; // an allocator's own report: what it had handed out, and held from the device
};

struct mt_failures {
    struct mt_failure *items; // in order of their first time
    size_t count, capacity;
    uint64_t calls; // all of them
    uint64_t late;  // beside them: calls at exit, after the driver had shut down, that would have freed nothing
};

// Whether a change is that a device had no memory left for what was asked for. Where a framework reports that itself,
// its report is, and not the driver's refusals that led to it.
bool mt_failure_is_exhaustion(const struct mt_report *report, const struct mt_change *change, uint32_t *device);

void mt_failures_find(const struct mt_report *report, struct mt_failures *out); // the caller frees out->items

#endif
