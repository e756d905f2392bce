/* Seeded random numbers by counter: element i of a seed is a function of both alone, so the device's threads and the
 * CPU reference draw the same numbers in any order. Used by kernels/pointwise.cu and kernels/reference.c.
 */
#pragma once

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014). */
static inline HOST_DEVICE uint64_t random_bits(uint64_t seed, uint64_t index) {
    uint64_t z = seed * 0xD1342543DE82EF95u + (index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* A standard normal number by Box and Muller, from two uniform ones of 24 bits each; the first is never 0. */
static inline HOST_DEVICE float random_normal(uint64_t seed, uint64_t index) {
    const uint64_t bits = random_bits(seed, index);
    const float radius = ((float)(bits >> 40) + 1.0f) * (1.0f / 16777216.0f);
    const float angle = (float)((bits >> 8) & 0xFFFFFF) * (6.28318530718f / 16777216.0f);
    return sqrtf(-2.0f * logf(radius)) * cosf(angle);
}
