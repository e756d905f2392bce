/*
 * What the user of the program is told when the first event is lost: one line, since the loss may be noticed long
 * after. How much was lost is the report's to say.
 */
#ifndef MEMTRACE_PRELOAD_LOSS_H
#define MEMTRACE_PRELOAD_LOSS_H

#include "tracer/trace.h"

// mt_trace_on_loss's listener.
void mt_loss_say(const struct mt_trace *trace, const struct mt_loss *loss);

#endif
