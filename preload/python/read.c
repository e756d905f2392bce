/*
 * Which pages can be read: a question to the kernel, once a page, remembered in a small set-associative table.
 *
 * The question is a sigprocmask(2) with an invalid `how`: the kernel copies the new mask in before it looks at `how`,
 * so the answer is EFAULT or EINVAL, and nothing changes. Unlike a pipe it needs no descriptor, and unlike
 * process_vm_readv(2) no seccomp profile forbids it.
 */
#include "preload/python/read.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KERNEL_SIGSET_BYTES = 8 };

_Atomic(uintptr_t) mt_python_pages[1 << MT_PYTHON_SET_BITS][MT_PYTHON_WAYS] __attribute__((visibility("hidden")));

static bool ask_kernel(uintptr_t page) {
    int saved = errno;
    long rc = syscall(SYS_rt_sigprocmask, ~0, page, NULL, KERNEL_SIGSET_BYTES);
    bool readable = rc == 0 || errno != EFAULT;
    errno = saved;
    return readable;
}

static bool page_readable(uintptr_t page) {
    if (mt_python_page_known(page)) return true;
    if (!ask_kernel(page)) return false;
    uint64_t hash = mt_python_page_hash(page);
    _Atomic(uintptr_t) *set = mt_python_pages[hash >> (64 - MT_PYTHON_SET_BITS)];
    atomic_store_explicit(&set[hash >> 8 & (MT_PYTHON_WAYS - 1)], page, memory_order_relaxed);
    return true;
}

bool mt_python_ask_readable(const void *address, size_t bytes) {
    uintptr_t first = (uintptr_t)address & ~(uintptr_t)(MT_PYTHON_PAGE - 1);
    uintptr_t last = (uintptr_t)address + bytes - 1;
    if (first == 0 || bytes == 0 || last < (uintptr_t)address) return false;
    for (uintptr_t page = first; page <= last; page += MT_PYTHON_PAGE) {
        if (!page_readable(page)) return false;
    }
    return true;
}
