/*
 * An imitation of the parts of CPython that the Python feed finds by name, for versions that are not on the machine and
 * states that no healthy interpreter is in. Linked into a test program, which exports it (-rdynamic).
 */
#ifndef MEMTRACE_TESTS_FAKES_CPYTHON_H
#define MEMTRACE_TESTS_FAKES_CPYTHON_H

#include <stdint.h>

extern const char *fake_version; // what Py_GetVersion() says
extern int fake_initialized;
extern void *fake_thread_state;
extern void *fake_head; // PyInterpreterState_Head(); the main one is &fake_head

extern uint64_t _PyRuntime[128]; // its debug offsets
extern uint64_t PyCode_Type[64];

// Called in the place of the interpreter loop: calls `body`.
void _PyEval_EvalFrameDefault(void (*body)(void));

// The remaining names.
const char *Py_GetVersion(void);
int Py_IsInitialized(void);
void *PyGILState_GetThisThreadState(void);
void *PyInterpreterState_Head(void);
void *PyInterpreterState_Main(void);

#endif
