/*
 * Damage as traces get it, for the fuzzer and for the test of its harness: chunks lost, swapped, doubled and cut, and
 * bytes that differ within them.
 */
#ifndef MEMTRACE_TESTS_DAMAGE_H
#define MEMTRACE_TESTS_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

// Damages a trace in one way, as the seed says. Returns how many bytes are left of it.
size_t damage_trace(uint8_t *data, size_t bytes, uint32_t seed);

// Opens the seal of every chunk: behind a checksum that fails, nothing would ever be decoded.
void damage_seals(uint8_t *data, size_t bytes);

// Reads a file as memtrace-report does, shows all views to nowhere, and closes it.
void show_everything(const char *path);

#endif
