/*
 * What the user of the program is told of the trace, in one line each: that the first event is lost (how many are is
 * the report's to say), and that the trace does not have the name that was asked for, or what had it before has
 * another.
 */
#ifndef MEMTRACE_PRELOAD_TELL_H
#define MEMTRACE_PRELOAD_TELL_H

#include "tracer/trace.h"

// Listeners of mt_trace_on_loss and mt_trace_on_name.
void mt_loss_say(const struct mt_trace *trace, const struct mt_loss *loss);
void mt_name_say(const struct mt_trace *trace, const struct mt_naming *naming);

#endif
