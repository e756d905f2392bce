/*
 * The tables behind python/known.h: one a thread that has run Python, since no other thread can say when one of its
 * frames has changed.
 */
#include "preload/python/known.h"

#include <sys/mman.h>

enum { TABLE_BYTES = sizeof(struct mt_python_known) << MT_PYTHON_KNOWN_BITS };

__thread struct mt_python_known *mt_python_known_frames
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

struct mt_python_known *mt_python_known_make(void) {
    void *memory = mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) mt_python_known_frames = memory;
    return mt_python_known_frames;
}

void mt_python_known_drop(void) {
    if (mt_python_known_frames) munmap(mt_python_known_frames, TABLE_BYTES);
    mt_python_known_frames = NULL;
}
