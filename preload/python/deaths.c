/*
 * See python/deaths.h. The destructor runs under the GIL; a thread that runs a new code object has had the GIL since
 * the old one died, and so sees the count.
 */
#include "preload/python/deaths.h"

enum { TYPE_DESTRUCTOR = 48 }; // offsetof(PyTypeObject, tp_dealloc), in all versions

typedef void destructor_fn(void *object);

_Atomic(uint64_t) mt_python_death_count = 1;
_Atomic(void *) *mt_python_destructor;

static void *original; // written before the destructor is ours, constant afterwards

typedef _Atomic(void *) slot;

void mt_python_code_dies(void *code) {
    atomic_fetch_add_explicit(&mt_python_death_count, 1, memory_order_release);
    ((destructor_fn *)original)(code);
}

void mt_python_watch_deaths(void *code_type) {
    slot *destructor = (slot *)((char *)code_type + TYPE_DESTRUCTOR);
    original = atomic_load(destructor);
    void *expected = original;
    if (original && atomic_compare_exchange_strong(destructor, &expected, (void *)mt_python_code_dies)) {
        mt_python_destructor = destructor;
    }
}
