/*
 * Reading another program's structures in our own process without risking a fault.
 *
 * The structures of a live frame are readable, unless we misunderstand them (an unknown build, corruption): then the
 * pointers are garbage, and a fault would kill the host. So a page is asked for once, and remembered.
 */
#ifndef MEMTRACE_PRELOAD_PYTHON_READ_H
#define MEMTRACE_PRELOAD_PYTHON_READ_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MT_PYTHON_PAGE = 4096, MT_PYTHON_SET_BITS = 10, MT_PYTHON_WAYS = 4 };

// Pages known to be readable; racing writers lose an entry at worst. For mt_python_readable alone.
extern _Atomic(uintptr_t) mt_python_pages[1 << MT_PYTHON_SET_BITS][MT_PYTHON_WAYS]
    __attribute__((visibility("hidden")));

// The slow path: asks the kernel where the table has no answer. Keeps errno.
bool mt_python_ask_readable(const void *address, size_t bytes);

static inline uint64_t mt_python_page_hash(uintptr_t page) {
    return (uint64_t)(page / MT_PYTHON_PAGE) * 0x9e3779b97f4a7c15u;
}

static inline bool mt_python_page_known(uintptr_t page) {
    _Atomic(uintptr_t) *set = mt_python_pages[mt_python_page_hash(page) >> (64 - MT_PYTHON_SET_BITS)];
    for (int i = 0; i < MT_PYTHON_WAYS; i++) {
        if (atomic_load_explicit(&set[i], memory_order_relaxed) == page) return true;
    }
    return false;
}

// Whether `bytes` bytes at `address` can be read. Costs a lookup where the page is known, a system call a page where
// not. A page that was readable and has been unmapped since still counts: fit for what a live frame refers to.
// Thread-safe, async-signal-safe, keeps errno.
static inline bool mt_python_readable(const void *address, size_t bytes) {
    uintptr_t page = (uintptr_t)address & ~(uintptr_t)(MT_PYTHON_PAGE - 1);
    if ((uintptr_t)address - page + bytes <= MT_PYTHON_PAGE && page && mt_python_page_known(page)) return true;
    return mt_python_ask_readable(address, bytes);
}

// Members by offset; the caller has checked the structure they lie in.
static inline const void *mt_python_pointer(const void *base, size_t offset) {
    const void *value;
    memcpy(&value, (const char *)base + offset, sizeof value);
    return value;
}

static inline int32_t mt_python_int(const void *base, size_t offset) {
    int32_t value;
    memcpy(&value, (const char *)base + offset, sizeof value);
    return value;
}

static inline int64_t mt_python_size(const void *base, size_t offset) {
    int64_t value;
    memcpy(&value, (const char *)base + offset, sizeof value);
    return value;
}

static inline bool mt_python_aligned(const void *pointer) {
    return pointer && ((uintptr_t)pointer & 7) == 0;
}

#endif
