/*
 * The tables behind python/known.h: one a thread that has run Python, since no other thread can say when one of its
 * frames has changed.
 */
#include "preload/python/known.h"

#include "tracer/memory.h"

enum { TABLE_BYTES = sizeof(struct mt_python_known) << MT_PYTHON_KNOWN_BITS };

__thread struct mt_python_known *mt_python_known_frames
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

struct mt_python_known *mt_python_known_make(void) {
    return mt_python_known_frames = mt_pages_map(TABLE_BYTES);
}

void mt_python_known_drop(void) {
    if (mt_python_known_frames) mt_pages_unmap(mt_python_known_frames, TABLE_BYTES);
    mt_python_known_frames = NULL;
}
