/*
 * Sizes as text; see units.h.
 */
#include "viewer/base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static double mega(enum mt_units units) {
    return units == MT_UNITS_DECIMAL ? 1e6 : 1048576.0;
}

// Six characters hold a number with so many decimals: "1.0000", "16.000", "128.00", "1024.0".
static int decimals_of_six(double value) {
    int decimals = 4;
    for (double bound = 10; decimals > 1 && value >= bound; bound *= 10) decimals--;
    return decimals;
}

// Whether the decimal digits that fit in six characters are the whole truth.
static int exact_in_six(uint64_t bytes, uint64_t unit) {
    static const uint64_t scale[] = {1, 10, 100, 1000, 10000};
    int decimals = decimals_of_six((double)bytes / (double)unit);
    return (unsigned __int128)bytes * scale[decimals] % unit == 0;
}

static void six(char *text, size_t room, double value) {
    int decimals = decimals_of_six(value);
    int length = snprintf(text, room, "%.*f", decimals, value);
    // 9.99999 rounds up to 10.0000: one digit more before the point, one fewer behind it.
    if (length > 6 && decimals > 1) snprintf(text, room, "%.*f", decimals - 1, value);
}

struct mt_size_text mt_memory_column(uint64_t bytes, enum mt_units units) {
    const uint64_t kilo_bytes = units == MT_UNITS_DECIMAL ? 1000 : 1024;
    const uint64_t mega_bytes = kilo_bytes * kilo_bytes;
    struct mt_size_text out;
    char number[24];
    if (bytes >= mega_bytes * 10000) {
        snprintf(number, sizeof(number), "%.*f", bytes % mega_bytes ? 1 : 0, (double)bytes / (double)mega_bytes);
        snprintf(out.text, sizeof(out.text), "%-6s M", number);
    } else if (bytes >= mega_bytes || (bytes && exact_in_six(bytes, mega_bytes))) {
        six(number, sizeof(number), (double)bytes / (double)mega_bytes);
        snprintf(out.text, sizeof(out.text), "%s M", number);
    } else if (bytes >= kilo_bytes) {
        six(number, sizeof(number), (double)bytes / (double)kilo_bytes);
        snprintf(out.text, sizeof(out.text), "%s K", number);
    } else {
        snprintf(out.text, sizeof(out.text), "%-6u B", (unsigned)bytes);
    }
    return out;
}

struct mt_size_text mt_total_column(uint64_t bytes, enum mt_units units) {
    struct mt_size_text out;
    double value = (double)bytes / mega(units);
    if (bytes == 0 || value >= 0.05)
        snprintf(out.text, sizeof(out.text), "%.1f", value);
    else if (value >= 0.0001)
        snprintf(out.text, sizeof(out.text), "%.4f", value);
    else
        snprintf(out.text, sizeof(out.text), "<0.0001");
    return out;
}

struct mt_size_text mt_size(uint64_t bytes, enum mt_units units) {
    static const char *const names[2][7] = {
        {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"},
        {"B", "kB", "MB", "GB", "TB", "PB", "EB"},
    };
    const double base = units == MT_UNITS_DECIMAL ? 1000 : 1024;
    struct mt_size_text out;
    double value = (double)bytes;
    int unit = 0;
    while (unit < 6 && value >= base) {
        value /= base;
        unit++;
    }
    const char *name = names[units == MT_UNITS_DECIMAL][unit];
    if (unit == 0)
        snprintf(out.text, sizeof(out.text), "%u %s", (unsigned)bytes, name);
    else
        snprintf(out.text, sizeof(out.text), "%.*f %s", value < 10 ? 2 : 1, value, name);
    return out;
}

struct mt_size_text mt_exact(uint64_t bytes) {
    struct mt_size_text out;
    char digits[24];
    int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)bytes);
    size_t at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) out.text[at++] = ',';
        out.text[at++] = digits[i];
    }
    out.text[at] = '\0';
    return out;
}

struct mt_phrase mt_bytes(uint64_t bytes) {
    struct mt_size_text exact = mt_exact(bytes);
    struct mt_phrase out;
    snprintf(out.text, sizeof(out.text), "%s byte%s", exact.text, bytes == 1 ? "" : "s");
    return out;
}

struct mt_phrase mt_amount(uint64_t bytes, enum mt_units units) {
    const uint64_t kilo_bytes = units == MT_UNITS_DECIMAL ? 1000 : 1024;
    struct mt_phrase out;
    int used = snprintf(out.text, sizeof(out.text), "%s", mt_bytes(bytes).text);
    // Below that the size says the same once more.
    if (bytes >= kilo_bytes)
        snprintf(out.text + used, sizeof(out.text) - (size_t)used, " (%s)", mt_size(bytes, units).text);
    return out;
}

struct mt_phrase mt_counted(uint64_t count, const char *what) {
    struct mt_phrase out;
    snprintf(out.text, sizeof(out.text), "%" PRIu64 " %s%s", count, what, count == 1 ? "" : "s");
    return out;
}
