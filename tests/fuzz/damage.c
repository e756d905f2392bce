/*
 * Damage to traces; see damage.h.
 */
#include "tests/fuzz/damage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/format.h"
#include "viewer/analysis/by.h"
#include "viewer/analysis/notices.h"
#include "viewer/analysis/report.h"
#include "viewer/views/views.h"

// The same numbers on every machine.
static uint32_t next(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static uint8_t *chunk_at(uint8_t *data, size_t index) {
    return data + MT_HEADER_BYTES + index * MT_CHUNK_BYTES;
}

static void set_index(uint8_t *chunk, uint32_t index) {
    memcpy(chunk + offsetof(struct mt_chunk_header, index), &index, sizeof(index));
}

// Puts one chunk's bytes in another's place; swapped, they both stay.
static void move_chunk(uint8_t *data, uint32_t from, uint32_t to, int swap) {
    uint8_t *kept = malloc(MT_CHUNK_BYTES);
    if (!kept) return;
    memcpy(kept, chunk_at(data, to), MT_CHUNK_BYTES);
    memmove(chunk_at(data, to), chunk_at(data, from), MT_CHUNK_BYTES);
    set_index(chunk_at(data, to), to);
    if (swap) {
        memcpy(chunk_at(data, from), kept, MT_CHUNK_BYTES);
        set_index(chunk_at(data, from), from);
    }
    free(kept);
}

// Flips bits where records are: chunks are mostly empty in small traces.
static void flip(uint8_t *data, size_t chunks, uint32_t *state) {
    uint8_t *chunk = chunk_at(data, next(state) % chunks);
    uint32_t used;
    memcpy(&used, chunk + offsetof(struct mt_chunk_header, used), sizeof(used));
    if (used == 0 || used > MT_CHUNK_BYTES - sizeof(struct mt_chunk_header)) used = 64;
    for (uint32_t flips = 1 + next(state) % 8; flips > 0; flips--)
        chunk[sizeof(struct mt_chunk_header) + next(state) % used] ^= (uint8_t)(1 + next(state) % 255);
}

size_t damage_trace(uint8_t *data, size_t bytes, uint32_t seed) {
    uint32_t state = seed * 2654435761u + 1;
    size_t chunks = bytes > MT_HEADER_BYTES ? (bytes - MT_HEADER_BYTES) / MT_CHUNK_BYTES : 0;
    if (chunks == 0) return bytes;
    uint32_t from = next(&state) % (uint32_t)chunks, to = next(&state) % (uint32_t)chunks;
    switch (next(&state) % 8) {
    case 0: // lost
        memset(chunk_at(data, from), 0, MT_CHUNK_BYTES);
        break;
    case 1:
        move_chunk(data, from, to, 1);
        break;
    case 2:
        move_chunk(data, from, to, 0);
        break;
    case 3: // cut
        return MT_HEADER_BYTES + next(&state) % (bytes - MT_HEADER_BYTES);
    case 4: // the header
        data[next(&state) % sizeof(struct mt_file_header)] ^= (uint8_t)(1 + next(&state) % 255);
        break;
    default:
        flip(data, chunks, &state);
        break;
    }
    return bytes;
}

void damage_seals(uint8_t *data, size_t bytes) {
    const size_t sealed = offsetof(struct mt_chunk_header, sealed);
    for (size_t at = MT_HEADER_BYTES; at + sizeof(struct mt_chunk_header) <= bytes; at += MT_CHUNK_BYTES)
        data[at + sealed] = data[at + sealed + 1] = 0;
}

void show_everything(const char *path) {
    const struct mt_options options = {.top = 20, .by = mt_by_default(), .device = MT_ALL_DEVICES};
    struct mt_report report;
    char *error = NULL;
    size_t count;
    const struct mt_view *views = mt_views(&count);
    FILE *out = fopen("/dev/null", "w");
    if (out && mt_report_open(path, &options, &report, &error)) {
        mt_notices(out, "", &report);
        for (size_t i = 0; i < count; i++) views[i].show(&report, out);
        mt_report_close(&report);
    }
    free(error);
    if (out) fclose(out);
}
