/*
 * The arena of memory.h on anonymous mappings: small things share blocks, big ones get pages of their own.
 */
#include "tracer/memory.h"

#include <sys/mman.h>

enum { BLOCK_BYTES = 256 * 1024, ALIGNMENT = 16 };

void *mt_pages_map(size_t bytes) {
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void mt_pages_unmap(void *pages, size_t bytes) {
    munmap(pages, bytes);
}

void *mt_arena_take(struct mt_arena *arena, size_t bytes) {
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (bytes > BLOCK_BYTES / 4) return mt_pages_map(bytes);
    if (bytes > arena->left) {
        char *block = mt_pages_map(BLOCK_BYTES);
        if (block == NULL) return NULL;
        arena->at = block;
        arena->left = BLOCK_BYTES;
    }
    void *taken = arena->at;
    arena->at += bytes;
    arena->left -= bytes;
    return taken;
}
