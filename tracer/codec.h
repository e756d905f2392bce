/*
 * Varints and zigzag numbers of format.h. Writers have made sure of the room (MT_VARINT_BYTES each); readers trust
 * nothing and are told by NULL that the bytes end early or exceed 64 bits.
 */
#ifndef MEMTRACE_TRACER_CODEC_H
#define MEMTRACE_TRACER_CODEC_H

#include <stddef.h>
#include <stdint.h>

#define MT_VARINT_BYTES   10 // of a 64-bit value
#define MT_VARINT32_BYTES 5  // of a 32-bit value

static inline uint8_t *mt_put_varint(uint8_t *at, uint64_t value) {
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

// Small magnitudes of either sign become small numbers. `delta` is a difference modulo 2^64.
static inline uint64_t mt_zigzag(uint64_t delta) {
    return (delta << 1) ^ (0 - (delta >> 63));
}

static inline uint64_t mt_unzigzag(uint64_t value) {
    return (value >> 1) ^ (0 - (value & 1));
}

static inline uint8_t *mt_put_delta(uint8_t *at, uint64_t value, uint64_t previous) {
    return mt_put_varint(at, mt_zigzag(value - previous));
}

static inline const uint8_t *mt_get_varint(const uint8_t *at, const uint8_t *end, uint64_t *value) {
    uint64_t result = 0;
    for (unsigned shift = 0; at < end && shift < 70; shift += 7) {
        uint8_t byte = *at++;
        if (shift == 63 && byte > 1) return NULL;
        result |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = result;
            return at;
        }
    }
    return NULL;
}

static inline const uint8_t *mt_get_varint32(const uint8_t *at, const uint8_t *end, uint32_t *value) {
    uint64_t wide;
    at = mt_get_varint(at, end, &wide);
    if (at == NULL || wide > UINT32_MAX) return NULL;
    *value = (uint32_t)wide;
    return at;
}

static inline const uint8_t *mt_get_delta(const uint8_t *at, const uint8_t *end, uint64_t *value) {
    uint64_t delta;
    at = mt_get_varint(at, end, &delta);
    if (at != NULL) *value += mt_unzigzag(delta);
    return at;
}

#endif
