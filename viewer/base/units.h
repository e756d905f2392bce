/*
 * Sizes as text. One rule: no digit that is shown is wrong. Where a column is too narrow for a size, a smaller unit or
 * a wider text is used, never fewer digits. Called by the renderers.
 */
#ifndef MEMTRACE_VIEWER_BASE_UNITS_H
#define MEMTRACE_VIEWER_BASE_UNITS_H

#include <stdint.h>

enum mt_units {
    MT_UNITS_BINARY,  // MiB = 2^20
    MT_UNITS_DECIMAL, // MB = 10^6
};

struct mt_size_text {
    char text[40];
};

struct mt_phrase {
    char text[96];
};

// The Memory column of the line report: six characters and a unit, "16.000 M", "1.0000 M", "4.0000 K", "512    B".
// Wider than six characters only above 9999 M that are no whole number.
struct mt_size_text mt_memory_column(uint64_t bytes, enum mt_units units);

// The totals of the line report, in MiB (or MB) with one decimal, and more where 0.0 would be wrong.
struct mt_size_text mt_total_column(uint64_t bytes, enum mt_units units);

// A size for prose and tables: "512 B", "16.0 MiB", "1.25 GiB".
struct mt_size_text mt_size(uint64_t bytes, enum mt_units units);

// Bytes in full, digits grouped in threes: "574,668,960".
struct mt_size_text mt_exact(uint64_t bytes);

// For prose: "574,668,960 bytes", "1 byte"; "574,668,960 bytes (548.0 MiB)", but "512 bytes".
struct mt_phrase mt_bytes(uint64_t bytes);
struct mt_phrase mt_amount(uint64_t bytes, enum mt_units units);

// "1 block", "0 blocks". what: a noun whose plural ends in s.
struct mt_phrase mt_counted(uint64_t count, const char *what);

#endif
