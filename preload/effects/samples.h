/*
 * Device memory in use, measured after the calls that take memory nobody asked for: context and module creation, the
 * first launch of each kernel, streams, limits; and once more when exit begins. The report sets it against the
 * allocations it knows and so finds the hidden rest. Where others use the device too, NVML's figure of this process
 * alone takes its place (nvml.h). Never while a stream captures, never later during exit; about 5 µs a sample, so not
 * for every call.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_SAMPLES_H
#define MEMTRACE_PRELOAD_EFFECTS_SAMPLES_H

#include "preload/call.h"

// Asks the driver about the device of the calling thread's current context and writes a SAMPLED effect of `call`;
// `kernel` (0: none) is the kernel that the call launched for the first time.
void mt_sample(const struct mt_call *call, uint32_t kernel);

// The same about every device sampled before, as no call's effect: what is in use when the program ends. Runs when exit
// begins, on the thread that exits.
void mt_samples_end(void);

// The same about the device of `context`, which need not be current: creation leaves it to the program to make it so.
void mt_sample_context(const struct mt_call *call, CUcontext context);

#endif
