/*
 * The GPUs of the process: name, memory, UUID of each ordinal it can see, and the CUDA version of the driver. Asked for
 * once the first context exists, because inside cuInit, where the session starts, the driver may not answer yet.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_DEVICE_FACTS_H
#define MEMTRACE_PRELOAD_EFFECTS_DEVICE_FACTS_H

// Writes them unless that was done; not while a stream captures. Under the guard.
void mt_device_facts_write(void);

#endif
