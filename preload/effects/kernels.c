/*
 * The cache behind effects/kernels.h: open addressing with few probes, in tables that become more as they fill up. Code
 * that is unloaded makes every entry stale at once, by a new generation; stale entries are used again, so a program
 * that loads and unloads for days needs no more of them than it has kernels at a time.
 *
 * Readers take no lock: an entry of the current generation is not written to until that is over, which its state tells
 * before and after it was read. Writers take a lock, under which nothing foreign runs.
 */
#include "preload/effects/kernels.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/driver.h"
#include "preload/effects/capture.h"
#include "preload/session.h"
#include "tracer/lock.h"
#include "tracer/memory.h"

#define TABLES        4
#define FIRST_ENTRIES 8192u // of the first table, a power of two; each further one has four times as many
#define PROBES        8u

// What was done with a kernel, in the low bits of its entry's state; the generation is above them.
enum { LAUNCHED = 1, LOOKED_UP = 2, GENERATION_SHIFT = 2 };

struct entry {
    _Atomic(uint64_t) state; // 0: never used, or being written
    _Atomic(const void *) function;
    _Atomic(const char *)
        symbol;               // as the feed gave it: part of the identity; NULL when a lookup or the driver named it
    _Atomic(uint32_t) kernel; // 0: its name could not be found out yet
};

static struct entry first_table[FIRST_ENTRIES];
static _Atomic(struct entry *) tables[TABLES] = {first_table};
static _Atomic(uint64_t) generation = 1;
static struct mt_lock lock;

static struct entry *probe(struct entry *table, unsigned number, const void *function, unsigned i) {
    uint64_t mixed = (uintptr_t)function * 0x9e3779b97f4a7c15u;
    return &table[((unsigned)(mixed >> 40) + i) & ((FIRST_ENTRIES << 2 * number) - 1)];
}

static bool is_of(const struct entry *entry, uint64_t now) {
    return atomic_load_explicit(&entry->state, memory_order_acquire) >> GENERATION_SHIFT == now;
}

// Whether the entry is the function's, and then its kernel.
static bool read_entry(const struct entry *entry, const void *function, const char *symbol, uint64_t now,
                       uint32_t *kernel) {
    if (!is_of(entry, now) || atomic_load_explicit(&entry->function, memory_order_acquire) != function) return false;
    const char *known = atomic_load_explicit(&entry->symbol, memory_order_acquire);
    *kernel = atomic_load_explicit(&entry->kernel, memory_order_acquire);
    return (!symbol || !known || known == symbol) && is_of(entry, now);
}

// With symbol NULL, any entry of the function.
static struct entry *find(const void *function, const char *symbol, uint64_t now, uint32_t *kernel) {
    for (unsigned number = 0; number < TABLES; number++) {
        struct entry *table = atomic_load_explicit(&tables[number], memory_order_acquire);
        for (unsigned i = 0; table && i < PROBES; i++) {
            struct entry *entry = probe(table, number, function, i);
            if (read_entry(entry, function, symbol, now, kernel)) return entry;
            // What is behind an entry that was never used was never used either, in this table and the next.
            if (!atomic_load_explicit(&entry->state, memory_order_relaxed)) return NULL;
        }
    }
    return NULL;
}

// Under the lock. NULL without memory.
static struct entry *table_at(unsigned number) {
    struct entry *table = atomic_load_explicit(&tables[number], memory_order_relaxed);
    if (table) return table;
    size_t bytes = ((size_t)FIRST_ENTRIES << 2 * number) * sizeof *table;
    table = mt_pages_map(bytes);
    atomic_store_explicit(&tables[number], table, memory_order_release);
    return table;
}

// Under the lock. An entry that is free for the function or stale; NULL when there is none.
static struct entry *free_entry(const void *function, uint64_t now) {
    for (unsigned number = 0; number < TABLES; number++) {
        struct entry *table = table_at(number);
        for (unsigned i = 0; table && i < PROBES; i++) {
            struct entry *entry = probe(table, number, function, i);
            if (atomic_load_explicit(&entry->state, memory_order_relaxed) >> GENERATION_SHIFT < now) return entry;
        }
    }
    return NULL;
}

// Under the lock. Another name than before means another kernel, which nothing was done with yet.
static void rename_entry(struct entry *entry, uint32_t kernel) {
    uint32_t before = atomic_exchange_explicit(&entry->kernel, kernel, memory_order_relaxed);
    if (before && before != kernel) {
        atomic_fetch_and_explicit(&entry->state, ~(uint64_t)(LAUNCHED | LOOKED_UP), memory_order_relaxed);
    }
}

// The function's entry, which is made if there is none; NULL when there is no room.
static struct entry *put(const void *function, const char *symbol, uint64_t now, uint32_t kernel) {
    uint32_t known;
    mt_lock_take(&lock);
    struct entry *entry = find(function, symbol, now, &known);
    if (entry) {
        if (kernel) rename_entry(entry, kernel);
    } else if ((entry = free_entry(function, now))) {
        // Who reads one of the new fields finds that the state is not what it was.
        atomic_store_explicit(&entry->state, 0, memory_order_relaxed);
        atomic_store_explicit(&entry->function, function, memory_order_release);
        atomic_store_explicit(&entry->symbol, symbol, memory_order_release);
        atomic_store_explicit(&entry->kernel, kernel, memory_order_release);
        atomic_store_explicit(&entry->state, now << GENERATION_SHIFT, memory_order_release);
    }
    mt_lock_drop(&lock);
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

// The function's entry and its kernel, which is named if it was not. Of a call that failed the handle may be anything:
// the driver is not asked about that.
static struct entry *known(const struct mt_call *call, const void *function, uint64_t now, uint32_t *kernel) {
    struct entry *entry = find(function, call->symbol, now, kernel);
    if (entry && *kernel) return entry;
    const char *name = call->symbol;
    if (!name && call->result == CUDA_SUCCESS) name = driver_name((CUfunction)function);
    *kernel = name ? mt_define_kernel(mt_session_trace(), name) : 0;
    return entry && !*kernel ? entry : put(function, call->symbol, now, *kernel);
}

// True once a generation, at the first time that can be followed by a sample.
static bool first_time(struct entry *entry, unsigned what, uint64_t now) {
    uint64_t state = atomic_load_explicit(&entry->state, memory_order_relaxed);
    while (state >> GENERATION_SHIFT == now && !(state & what) && mt_may_ask()) {
        if (atomic_compare_exchange_weak_explicit(&entry->state, &state, state | what, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

uint32_t mt_kernel_id(const struct mt_call *call, CUfunction function, bool *first) {
    uint64_t now = atomic_load_explicit(&generation, memory_order_acquire);
    uint32_t kernel;
    struct entry *entry = known(call, function, now, &kernel);
    *first = call->result == CUDA_SUCCESS && entry && first_time(entry, LAUNCHED, now);
    return kernel;
}

void mt_kernel_named(const void *function, const char *name) {
    uint64_t now = atomic_load_explicit(&generation, memory_order_acquire);
    uint32_t before;
    if (!function || !name) return;
    uint32_t kernel = mt_define_kernel(mt_session_trace(), name);
    if (kernel && !(find(function, NULL, now, &before) && before == kernel)) put(function, NULL, now, kernel);
}

bool mt_kernel_first_lookup(const struct mt_call *call, CUkernel kernel) {
    uint64_t now = atomic_load_explicit(&generation, memory_order_acquire);
    uint32_t id;
    struct entry *entry = known(call, kernel, now, &id);
    return entry && first_time(entry, LOOKED_UP, now);
}

void mt_kernels_forget(void) {
    atomic_fetch_add_explicit(&generation, 1, memory_order_release);
}
