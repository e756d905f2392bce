/*
 * What the process says about itself at the start of its trace: facts.h lists it.
 */
#ifndef MEMTRACE_PRELOAD_PROCESS_FACTS_H
#define MEMTRACE_PRELOAD_PROCESS_FACTS_H

#include "tracer/trace.h"

// `arguments`: those of the command line, too, which may hold what others should not read.
void mt_process_facts_write(struct mt_trace *trace, bool arguments);

#endif
