/*
 * The functions of libpython_probe.so, for ctypes and for embed_python.c.
 */
#ifndef MEMTRACE_TESTS_FAKES_PYTHON_PROBE_H
#define MEMTRACE_TESTS_FAKES_PYTHON_PROBE_H

// Starts the feed; returns the facts that it wrote.
const char *probe_start(void);

// The caller's stack. Valid until the thread's next call.
const char *probe(void);

// The facts written since.
const char *probe_facts(void);

#endif
