/*
 * Where the C code of the interpreter loop lies. Called once, by python/probe.c.
 */
#ifndef MEMTRACE_PRELOAD_PYTHON_LOOP_H
#define MEMTRACE_PRELOAD_PYTHON_LOOP_H

#include "preload/python/probe.h"

// Fills python->loop and python->text from the address of _PyEval_EvalFrameDefault. What can't be found stays empty:
// then Python frames stand beside the native ones instead of replacing them.
void mt_python_find_loop(const void *loop, struct mt_python *python);

#endif
