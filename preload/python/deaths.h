/*
 * When code objects die. Another may then lie at the address of one that is known, with all that it points to at the
 * same addresses. From 3.12 on a code object has a version that tells; before, only all of its contents do, and to look
 * at those at each event would cost more than the event. So their deaths are counted: while none has died, what a frame
 * runs at a known address is known. Used by python/frames.c and, for one comparison an event, inline.
 */
#ifndef MEMTRACE_PRELOAD_PYTHON_DEATHS_H
#define MEMTRACE_PRELOAD_PYTHON_DEATHS_H

#include <stdatomic.h>
#include <stdint.h>

// Has code objects pass by on their way out. The one thing that the tracer changes in an interpreter: PyCode_Type's
// destructor, which calls the one that was there. Once; needs no GIL, as it stores one pointer.
void mt_python_watch_deaths(void *code_type);

// For mt_python_deaths alone.
extern _Atomic(uint64_t) mt_python_death_count __attribute__((visibility("hidden")));
extern _Atomic(void *) *mt_python_destructor __attribute__((visibility("hidden")));
void mt_python_code_dies(void *code);

// A number that changes when a code object dies; 0 when that is not known, since somebody else has changed the
// destructor.
static inline uint64_t mt_python_deaths(void) {
    _Atomic(void *) *destructor = mt_python_destructor;
    if (!destructor || atomic_load_explicit(destructor, memory_order_relaxed) != (void *)mt_python_code_dies) return 0;
    return atomic_load_explicit(&mt_python_death_count, memory_order_acquire);
}

#endif
