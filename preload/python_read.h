/*
 * Reading another program's structures in our own process without risking a fault.
 *
 * The structures of a live frame are readable, unless we misunderstand them (an unknown build, corruption): then the
 * pointers are garbage, and a fault would kill the host. So a page is asked for once, and remembered.
 */
#ifndef MEMTRACE_PRELOAD_PYTHON_READ_H
#define MEMTRACE_PRELOAD_PYTHON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Whether `bytes` bytes at `address` can be read. Costs a lookup where the pages are known, a system call each where
// not. A page that was readable and has been unmapped since still counts: fit for what a live frame refers to.
// Thread-safe, async-signal-safe, keeps errno.
bool mt_python_readable(const void *address, size_t bytes);

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
