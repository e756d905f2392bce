/*
 * See cpython.h.
 */
#include "tests/fakes/cpython.h"

const char *fake_version;
int fake_initialized;
void *fake_thread_state;
void *fake_head = &fake_head;

uint64_t _PyRuntime[128];
uint64_t PyCode_Type[64];

const char *Py_GetVersion(void) {
    return fake_version;
}

int Py_IsInitialized(void) {
    return fake_initialized;
}

void *PyGILState_GetThisThreadState(void) {
    return fake_thread_state;
}

void *PyInterpreterState_Head(void) {
    return fake_head;
}

void *PyInterpreterState_Main(void) {
    return &fake_head;
}

__attribute__((noinline)) void _PyEval_EvalFrameDefault(void (*body)(void)) {
    body();
    __asm__ volatile(""); // not a tail call
}
