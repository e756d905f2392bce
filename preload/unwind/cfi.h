/*
 * Call frame information: what compilers write into .eh_frame so that exceptions find their way. For a place in the
 * code it says how the caller's registers are had from the registers and the stack at that place. DWARF 5, section 6.4,
 * and the Linux Standard Base's chapter on exception frames define the form. Read where the loader mapped it; nothing
 * is allocated, no lock is taken. Used by walk.c and registers.c.
 */
#ifndef MEMTRACE_PRELOAD_UNWIND_CFI_H
#define MEMTRACE_PRELOAD_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// DWARF's numbers of the registers that matter. Others (floating point) are stepped over.
#if defined(__x86_64__)
enum { MT_REGISTER_FP = 6, MT_REGISTER_SP = 7, MT_REGISTER_RA = 16, MT_REGISTERS = 17 };
#elif defined(__aarch64__)
enum { MT_REGISTER_FP = 29, MT_REGISTER_RA = 30, MT_REGISTER_SP = 31, MT_REGISTERS = 32 };
#else
#error "unwinding is not written for this processor"
#endif

// A loaded module with its table of frame information (PT_GNU_EH_FRAME).
struct mt_code {
    uintptr_t start, end; // what the loader mapped
    uintptr_t table;      // 0: the module has none
};

enum mt_rule_kind {
    MT_RULE_SAME,          // what it is now; where nothing is said
    MT_RULE_UNDEFINED,     // lost; of the return address: there is no caller
    MT_RULE_AT_CFA,        // in memory, at the frame's canonical address plus `offset`
    MT_RULE_CFA,           // the canonical address plus `offset`
    MT_RULE_REGISTER,      // the value of `reg` plus `offset`
    MT_RULE_AT_EXPRESSION, // in memory, where the expression says
    MT_RULE_EXPRESSION,    // what the expression says
};

struct mt_rule {
    union {
        int64_t offset;
        const uint8_t *expression; // its length first, as a ULEB128
    };
    uint8_t kind;
    uint8_t reg;
};

// How to leave a frame.
struct mt_row {
    struct mt_rule cfa; // the canonical frame address: the caller's stack pointer
    struct mt_rule registers[MT_REGISTERS];
    bool signal_frame; // the kernel made it: what it returns to was interrupted, and called nothing
};

// A stretch of bytes that is read from its front. `bad` once it was too short.
struct mt_bytes {
    const uint8_t *at, *end;
    bool bad;
};

uint64_t mt_bytes_unsigned(struct mt_bytes *bytes, size_t width);
uint64_t mt_bytes_uleb(struct mt_bytes *bytes);
int64_t mt_bytes_sleb(struct mt_bytes *bytes);

// What the code's table says of the frame of a function that stands at `pc`. False when it does not cover that place,
// or says it in a way that is not known here.
bool mt_cfi_row(const struct mt_code *code, uintptr_t pc, struct mt_row *row);

#endif
