/*
 * See stack_memory.h. The question is the one that python/read.c asks: a sigprocmask(2) with an invalid `how`, of which
 * the kernel reads the mask first. There the pages of the heap are remembered for ever; a stack's go with their thread.
 */
#include "preload/unwind/stack_memory.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KERNEL_SIGSET_BYTES = 8 };

__thread struct mt_stretch mt_stack_stretch __attribute__((tls_model("initial-exec"), visibility("hidden")));

bool mt_page_readable(uintptr_t page) {
    long status = syscall(SYS_rt_sigprocmask, ~0, page, NULL, KERNEL_SIGSET_BYTES);
    return page != 0 && (status == 0 || errno != EFAULT);
}

bool mt_stack_memory_ask(uintptr_t address) {
    uintptr_t page = address & ~(uintptr_t)(MT_STACK_PAGE - 1);
    if (!mt_page_readable(page)) return false;
    if (page == mt_stack_stretch.start + mt_stack_stretch.bytes) mt_stack_stretch.bytes += MT_STACK_PAGE;
    return true;
}
