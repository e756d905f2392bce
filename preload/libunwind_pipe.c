/*
 * See libunwind_pipe.h. Which pipe it is, libunwind doesn't tell: the lowest that was not there before. Another thread
 * may open one in the same moment; then that may be watched instead, which is no worse than watching none.
 */
#include "preload/libunwind_pipe.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/stat.h>

enum { LOWEST = 1024 }; // descriptors that are looked at

struct end {
    dev_t device;
    ino_t inode; // 0: no pipe
};

static struct end ends[LOWEST]; // before; of no use afterwards
static struct end pipe_end;     // both ends are one inode
static int descriptors[2] = {-1, -1};
static _Atomic(bool) gone;

static struct end end_at(int descriptor) {
    struct stat about;
    if (fstat(descriptor, &about) != 0 || !S_ISFIFO(about.st_mode)) return (struct end){0, 0};
    return (struct end){about.st_dev, about.st_ino};
}

static bool same(struct end one, struct end other) {
    return one.inode == other.inode && one.device == other.device;
}

void mt_libunwind_pipe_before(void) {
    for (int i = 0; i < LOWEST; i++) ends[i] = end_at(i);
}

void mt_libunwind_pipe_after(void) {
    for (int first = 0; first < LOWEST; first++) {
        struct end end = end_at(first);
        if (!end.inode || same(end, ends[first])) continue;
        for (int second = first + 1; second < LOWEST; second++) {
            if (!same(end_at(second), end)) continue;
            descriptors[0] = first;
            descriptors[1] = second;
            pipe_end = end;
            return;
        }
    }
}

bool mt_libunwind_pipe_intact(void) {
    if (descriptors[0] < 0) return true;
    if (atomic_load_explicit(&gone, memory_order_relaxed)) return false;
    if (same(end_at(descriptors[0]), pipe_end) && same(end_at(descriptors[1]), pipe_end)) return true;
    atomic_store_explicit(&gone, true, memory_order_relaxed);
    return false;
}
