/*
 * The cache behind effects/kernels.h: hashed slots that point at entries which never change once published, from a
 * fixed arena. A full arena costs time (names are looked up again), never a wrong name. Entries are small and there are
 * as many as a process launches kernels, a few thousand in a large framework.
 */
#include "preload/effects/kernels.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/driver.h"
#include "preload/effects/capture.h"
#include "preload/session.h"

#define SLOTS   8192u // a power of two
#define PROBES  8u
#define ENTRIES 16384u

struct entry {
    const void *function;
    const char *symbol; // as the feed gave it: part of the identity; NULL when a lookup or the driver named it
    uint32_t generation;
    uint32_t kernel;
    atomic_bool launched;
    atomic_bool looked_up;
};

static struct entry entries[ENTRIES];
static _Atomic(unsigned) entries_used;
static _Atomic(struct entry *) slots[SLOTS];
static _Atomic(uint32_t) generation;

static unsigned hash(const void *function) {
    uint64_t mixed = (uintptr_t)function * 0x9e3779b97f4a7c15u;
    return (unsigned)(mixed >> 40);
}

static struct entry *find(const void *function, const char *symbol, uint32_t now) {
    for (unsigned i = 0; i < PROBES; i++) {
        struct entry *entry = atomic_load_explicit(&slots[(hash(function) + i) % SLOTS], memory_order_acquire);
        if (!entry) return NULL;
        if (entry->function != function || entry->generation != now) continue;
        if (!symbol || !entry->symbol || entry->symbol == symbol) return entry;
    }
    return NULL;
}

// Publishes a new entry in the first slot of its row that is free, stale or of the same function. NULL when the arena
// is full. Two threads may add the same kernel: both entries say the same, and one of them is found from then on.
static struct entry *add(const void *function, const char *symbol, uint32_t now, uint32_t kernel) {
    unsigned used = atomic_load_explicit(&entries_used, memory_order_relaxed);
    if (used >= ENTRIES || (used = atomic_fetch_add(&entries_used, 1)) >= ENTRIES) return NULL;
    struct entry *entry = &entries[used];
    entry->function = function;
    entry->symbol = symbol;
    entry->generation = now;
    entry->kernel = kernel;
    for (unsigned i = 0; i < PROBES; i++) {
        _Atomic(struct entry *) *slot = &slots[(hash(function) + i) % SLOTS];
        struct entry *there = atomic_load_explicit(slot, memory_order_acquire);
        if (i == PROBES - 1 || !there || there->generation != now || there->function == function) {
            atomic_store_explicit(slot, entry, memory_order_release);
            break;
        }
    }
    return entry;
}

// The driver's name of a CUfunction or CUkernel; NULL when it can't be asked or doesn't know.
static const char *driver_name(CUfunction function) {
    const char *name = NULL;
    if (!mt_may_ask()) return NULL;
    if (mt_driver.kernel_get_name && mt_driver.kernel_get_name(&name, (CUkernel)function) == CUDA_SUCCESS) return name;
    if (mt_driver.func_get_name && mt_driver.func_get_name(&name, function) == CUDA_SUCCESS) return name;
    return NULL;
}

static bool first_time(atomic_bool *done) {
    return !atomic_load_explicit(done, memory_order_relaxed) &&
           !atomic_exchange_explicit(done, true, memory_order_relaxed);
}

uint32_t mt_kernel_id(const struct mt_call *call, CUfunction function, bool *first) {
    uint32_t now = atomic_load_explicit(&generation, memory_order_acquire);
    struct entry *entry = find(function, call->symbol, now);
    *first = false;
    if (!entry) {
        const char *name = call->symbol ? call->symbol : driver_name(function);
        uint32_t kernel = name ? mt_define_kernel(mt_session_trace(), name) : 0;
        if (!kernel || !(entry = add(function, call->symbol, now, kernel))) return kernel;
    }
    *first = first_time(&entry->launched);
    return entry->kernel;
}

void mt_kernel_named(const void *function, const char *name) {
    uint32_t now = atomic_load_explicit(&generation, memory_order_acquire);
    if (!function || !name) return;
    struct entry *entry = find(function, NULL, now);
    uint32_t kernel = mt_define_kernel(mt_session_trace(), name);
    if (kernel && !(entry && entry->kernel == kernel)) add(function, NULL, now, kernel);
}

bool mt_kernel_first_lookup(CUkernel kernel) {
    uint32_t now = atomic_load_explicit(&generation, memory_order_acquire);
    struct entry *entry = find(kernel, NULL, now);
    if (!entry) {
        const char *name = driver_name((CUfunction)kernel);
        uint32_t id = name ? mt_define_kernel(mt_session_trace(), name) : 0;
        if (id) entry = add(kernel, NULL, now, id);
    }
    return !entry || first_time(&entry->looked_up);
}

void mt_kernels_forget(void) {
    atomic_fetch_add_explicit(&generation, 1, memory_order_release);
}
