/*
 * Mappings of the trace file, for chunk.c and create.c. Storing to a mapped page that the file no longer has raises
 * SIGBUS: somebody cut the file (`: > trace.bin`, logrotate's copytruncate). Every mapping is therefore in a list that
 * a handler of that signal can walk: it puts memory in the place of the pages, and the store goes on.
 */
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/file.h"
#include "tracer/memory.h"
#include "tracer/trace.h"

struct view {
    _Atomic uintptr_t start; // 0: the entry is free
    size_t bytes;            // these two are written before `start`
    struct mt_file *file;
    struct view *next;
};

// Entries are only ever added, so the handler walks the list without a lock.
static _Atomic(struct view *) views;
static struct mt_lock lock;
static struct mt_arena arena; // under lock

static struct view *free_entry(void) {
    struct view *first = atomic_load_explicit(&views, memory_order_acquire), *view = first;
    while (view != NULL && atomic_load_explicit(&view->start, memory_order_acquire) != 0) view = view->next;
    if (view != NULL) return view;
    view = mt_arena_take(&arena, sizeof *view);
    if (view == NULL) return NULL;
    view->next = first;
    atomic_store_explicit(&views, view, memory_order_release);
    return view;
}

static void *enter(struct mt_file *file, void *pages, size_t bytes) {
    if (pages == MAP_FAILED) return NULL;
    mt_lock_take(&lock);
    struct view *view = free_entry();
    if (view != NULL) {
        view->file = file;
        view->bytes = bytes;
        atomic_store_explicit(&view->start, (uintptr_t)pages, memory_order_release);
    }
    mt_lock_drop(&lock);
    if (view == NULL) {
        munmap(pages, bytes);
        errno = ENOMEM;
        return NULL;
    }
    madvise(pages, bytes, MADV_DONTFORK);
    return pages;
}

static void forget(const void *pages) {
    struct view *view = atomic_load_explicit(&views, memory_order_acquire);
    while (view != NULL && atomic_load_explicit(&view->start, memory_order_acquire) != (uintptr_t)pages)
        view = view->next;
    if (view != NULL) atomic_store_explicit(&view->start, 0, memory_order_release);
}

void *mt_view_map(struct mt_file *file, uint64_t offset, size_t bytes) {
    int fd = mt_file_descriptor(file);
    if (fd < 0) {
        errno = -fd;
        return NULL;
    }
    return enter(file, mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset), bytes);
}

void *mt_view_again(struct mt_file *file, void *view, size_t bytes) {
    // An old size of 0 asks for a second mapping of a shared one.
    return enter(file, mremap(view, 0, bytes, MREMAP_MAYMOVE), bytes);
}

void mt_view_unmap(void *view, size_t bytes) {
    forget(view);
    munmap(view, bytes);
}

// In one step, while other threads may be storing there. Not through libc, where a race detector would take it for a
// store of ours.
static int replace(uintptr_t start, size_t bytes, int flags, int fd) {
    return syscall(SYS_mmap, start, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0) == -1 ? -errno : 0;
}

int mt_view_detach(void *view, size_t bytes) {
    int error = replace((uintptr_t)view, bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (error == 0) forget(view);
    return error;
}

void mt_view_remap(void *view, size_t bytes, int fd) {
    if (replace((uintptr_t)view, bytes, MAP_SHARED, fd) == 0) madvise(view, bytes, MADV_DONTFORK);
}

bool mt_view_rescue(const void *address) {
    for (struct view *view = atomic_load_explicit(&views, memory_order_acquire); view != NULL; view = view->next) {
        uintptr_t start = atomic_load_explicit(&view->start, memory_order_acquire);
        if (start == 0 || (uintptr_t)address - start >= view->bytes) continue;
        atomic_store_explicit(&view->file->cut, true, memory_order_release);
        return replace(start, view->bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1) == 0;
    }
    return false;
}
