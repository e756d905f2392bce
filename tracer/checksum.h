/*
 * One fast 64-bit mix, used twice: as the checksum of sealed chunks (part of the format) and as the identity of stacks
 * and names in the writer's tables. It guards against torn pages, bad disks and accidents, not against an adversary.
 *
 * The checksum, exactly: step(h, w) is h ^= w, h *= 0x9e3779b97f4a7c15, h ^= h >> 32 (a bijection of h for every w, so
 * that any change confined to one word always shows). Four lanes start at seed + 0, 1, 2, 3; word i of the data,
 * little-endian, goes to lane i mod 4; a last partial word is padded with zeros. The result is
 * step(step(step(step(length in bytes, lane 0), lane 1), lane 2), lane 3).
 *
 * A chunk's checksum covers its payload with, as the seed, step() over kind, lane, index, used, records and
 * base_time_ns of its header in that order, starting from 0: see mt_chunk_checksum.
 */
#ifndef MEMTRACE_TRACER_CHECKSUM_H
#define MEMTRACE_TRACER_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tracer/format.h"

static inline uint64_t mt_step(uint64_t hash, uint64_t word) {
    hash ^= word;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 32);
}

// The next word of the data, zero-padded when fewer than 8 bytes are left.
static inline uint64_t mt_word(const uint8_t *at, size_t left) {
    uint64_t word = 0;
    memcpy(&word, at, left < 8 ? left : 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint64_t mt_checksum(const void *data, size_t bytes, uint64_t seed) {
    const uint8_t *at = data;
    size_t left = bytes;
    uint64_t lane[4] = {seed, seed + 1, seed + 2, seed + 3};

    for (; left >= 32; at += 32, left -= 32)
        for (int i = 0; i < 4; i++) lane[i] = mt_step(lane[i], mt_word(at + 8 * i, 8));
    for (int i = 0; left > 0; i++) {
        size_t taken = left < 8 ? left : 8;
        lane[i] = mt_step(lane[i], mt_word(at, taken));
        at += taken;
        left -= taken;
    }
    uint64_t hash = bytes;
    for (int i = 0; i < 4; i++) hash = mt_step(hash, lane[i]);
    return hash;
}

static inline uint64_t mt_chunk_checksum(const struct mt_chunk_header *header, const void *payload) {
    uint64_t seed = mt_step(0, header->kind);
    seed = mt_step(seed, header->lane);
    seed = mt_step(seed, header->index);
    seed = mt_step(seed, header->used);
    seed = mt_step(seed, header->records);
    seed = mt_step(seed, header->base_time_ns);
    return mt_checksum(payload, header->used, seed);
}

#endif
