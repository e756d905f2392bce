/*
 * See cfi.h. A module's table lists its functions in order, each with the place of its frame description entry (FDE);
 * that refers to a common information entry (CIE). Both hold a small program, which is run up to the place asked about.
 */
#include "preload/unwind/cfi.h"

#include <string.h>

enum { REMEMBERED = 6 }; // states that a program may put aside within each other

// Encodings of pointers.
enum { ENCODING_ABSOLUTE = 0x00, ENCODING_FORMAT = 0x0f, ENCODING_BASE = 0x70, ENCODING_TO_SELF = 0x10 };
enum { ENCODING_OMITTED = 0xff };
// Those of the lookup table that all linkers write: the count as 4 bytes, pairs of 4 bytes relative to the table.
enum { COUNT_ENCODING = 0x03, PAIRS_ENCODING = 0x3b };

struct cie {
    uint64_t code_align;
    int64_t data_align;
    uint8_t encoding; // of an FDE's addresses
    bool augmented;   // its FDEs have a length of further data
    bool signal_frame;
    struct mt_bytes program;
};

struct run {
    struct mt_bytes program;
    const struct cie *cie;
    uintptr_t location, wanted;
    const struct mt_row *initial; // NULL in the CIE's program
    struct mt_row *row;
    struct mt_row remembered[REMEMBERED];
    unsigned depth;
};

uint64_t mt_bytes_unsigned(struct mt_bytes *bytes, size_t width) {
    uint64_t value = 0;
    if ((size_t)(bytes->end - bytes->at) < width) {
        bytes->bad = true;
        bytes->at = bytes->end;
        return 0;
    }
    memcpy(&value, bytes->at, width);
    bytes->at += width;
    return value;
}

// Of 7 bits each, low first; *width: how many bits there were.
static uint64_t read_leb(struct mt_bytes *bytes, unsigned *width, bool *negative) {
    uint64_t value = 0;
    uint8_t byte = 0x80;
    for (*width = 0; byte & 0x80 && !bytes->bad; *width += 7) {
        byte = (uint8_t)mt_bytes_unsigned(bytes, 1);
        if (*width < 64) value |= (uint64_t)(byte & 0x7f) << *width;
    }
    *negative = byte & 0x40;
    return value;
}

uint64_t mt_bytes_uleb(struct mt_bytes *bytes) {
    unsigned width;
    bool negative;
    return read_leb(bytes, &width, &negative);
}

int64_t mt_bytes_sleb(struct mt_bytes *bytes) {
    unsigned width;
    bool negative;
    uint64_t value = read_leb(bytes, &width, &negative);
    if (negative && width < 64) value |= ~UINT64_C(0) << width;
    return (int64_t)value;
}

static int64_t sign_extended(uint64_t value, unsigned width) {
    return (int64_t)(value << (64 - 8 * width)) >> (64 - 8 * width);
}

// The format alone, without what it is relative to.
static uint64_t read_format(struct mt_bytes *bytes, uint8_t encoding) {
    switch (encoding & ENCODING_FORMAT) {
    case 0x01:
        return mt_bytes_uleb(bytes);
    case 0x02:
        return mt_bytes_unsigned(bytes, 2);
    case 0x03:
        return mt_bytes_unsigned(bytes, 4);
    case 0x00:
    case 0x04:
    case 0x0c:
        return mt_bytes_unsigned(bytes, 8);
    case 0x09:
        return (uint64_t)mt_bytes_sleb(bytes);
    case 0x0a:
        return (uint64_t)sign_extended(mt_bytes_unsigned(bytes, 2), 2);
    case 0x0b:
        return (uint64_t)sign_extended(mt_bytes_unsigned(bytes, 4), 4);
    default:
        bytes->bad = true;
        return 0;
    }
}

static uintptr_t read_address(struct mt_bytes *bytes, uint8_t encoding) {
    uintptr_t self = (uintptr_t)bytes->at;
    uint8_t base = encoding & (uint8_t)~ENCODING_FORMAT;
    if (base != ENCODING_ABSOLUTE && base != ENCODING_TO_SELF) bytes->bad = true;
    return read_format(bytes, encoding) + (base == ENCODING_TO_SELF ? self : 0);
}

static struct mt_bytes bytes_from(const struct mt_code *code, uintptr_t start) {
    bool inside = start >= code->start && start < code->end;
    return (struct mt_bytes){(const uint8_t *)start, (const uint8_t *)(inside ? code->end : start), !inside};
}

// The entry's bytes behind its length. One of 0 bytes ends the section; lengths of 64 bits are not known here.
static struct mt_bytes entry_at(const struct mt_code *code, uintptr_t address) {
    struct mt_bytes entry = bytes_from(code, address);
    uint64_t length = mt_bytes_unsigned(&entry, 4);
    if (length == 0 || length > (uint64_t)(entry.end - entry.at)) {
        entry.bad = true;
        return entry;
    }
    entry.end = entry.at + length;
    return entry;
}

static uintptr_t find_fde(const struct mt_code *code, uintptr_t pc) {
    struct mt_bytes head = bytes_from(code, code->table);
    uint8_t version = (uint8_t)mt_bytes_unsigned(&head, 1), start = (uint8_t)mt_bytes_unsigned(&head, 1);
    uint8_t count_is = (uint8_t)mt_bytes_unsigned(&head, 1), pairs_are = (uint8_t)mt_bytes_unsigned(&head, 1);
    if (version != 1 || count_is != COUNT_ENCODING || pairs_are != PAIRS_ENCODING) return 0;
    read_format(&head, start);
    size_t low = 0, high = mt_bytes_unsigned(&head, 4); // the last one that starts at or before pc is below high
    if (head.bad || high > (size_t)(head.end - head.at) / 8) return 0;
    int64_t wanted = (int64_t)(pc - code->table);
    int32_t pair[2];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        memcpy(pair, head.at + middle * sizeof pair, sizeof pair);
        if (pair[0] <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return 0;
    memcpy(pair, head.at + (low - 1) * sizeof pair, sizeof pair);
    return code->table + (uintptr_t)(int64_t)pair[1];
}

// The letters behind the 'z' that every CIE of today begins with.
static bool read_augmentation(struct mt_bytes *in, const char *letters, struct cie *cie) {
    size_t length = mt_bytes_uleb(in);
    if (in->bad || length > (size_t)(in->end - in->at)) return false;
    const uint8_t *end = in->at + length;
    for (; *letters; letters++) {
        if (*letters == 'R') {
            cie->encoding = (uint8_t)mt_bytes_unsigned(in, 1);
        } else if (*letters == 'L') {
            mt_bytes_unsigned(in, 1);
        } else if (*letters == 'P') {
            read_format(in, (uint8_t)mt_bytes_unsigned(in, 1));
        } else if (*letters == 'S') {
            cie->signal_frame = true;
        } else if (*letters != 'B') { // of aarch64: which key signs return addresses
            return false;
        }
    }
    in->at = end;
    return !in->bad;
}

static bool read_cie(const struct mt_code *code, uintptr_t address, struct cie *cie) {
    struct mt_bytes in = entry_at(code, address);
    uint64_t id = mt_bytes_unsigned(&in, 4), version = mt_bytes_unsigned(&in, 1);
    const char *letters = (const char *)in.at;
    const uint8_t *end = in.bad ? NULL : memchr(in.at, 0, (size_t)(in.end - in.at));
    if (!end || id != 0 || (version != 1 && version != 3)) return false;
    in.at = end + 1;
    *cie = (struct cie){.augmented = *letters == 'z'};
    cie->code_align = mt_bytes_uleb(&in);
    cie->data_align = mt_bytes_sleb(&in);
    uint64_t return_column = version == 1 ? mt_bytes_unsigned(&in, 1) : mt_bytes_uleb(&in);
    if (in.bad || return_column != MT_REGISTER_RA) return false;
    if (*letters && (!cie->augmented || !read_augmentation(&in, letters + 1, cie))) return false;
    cie->program = in;
    return cie->encoding != ENCODING_OMITTED;
}

static void set_rule(struct run *run, uint64_t reg, enum mt_rule_kind kind, int64_t offset) {
    if (reg < MT_REGISTERS) run->row->registers[reg] = (struct mt_rule){.kind = (uint8_t)kind, .offset = offset};
}

static void set_restored(struct run *run, uint64_t reg) {
    if (reg >= MT_REGISTERS) return;
    run->row->registers[reg] = run->initial ? run->initial->registers[reg] : (struct mt_rule){0};
}

static const uint8_t *read_expression(struct run *run) {
    const uint8_t *start = run->program.at;
    uint64_t length = mt_bytes_uleb(&run->program);
    if (length > (uint64_t)(run->program.end - run->program.at)) {
        run->program.bad = true;
    } else {
        run->program.at += length;
    }
    return start;
}

static void set_expression(struct run *run, enum mt_rule_kind kind) {
    uint64_t reg = mt_bytes_uleb(&run->program);
    const uint8_t *expression = read_expression(run);
    if (reg < MT_REGISTERS) {
        run->row->registers[reg] = (struct mt_rule){.kind = (uint8_t)kind, .expression = expression};
    }
}

static void set_cfa(struct run *run, uint64_t reg, int64_t offset) {
    if (reg >= MT_REGISTERS) run->program.bad = true;
    run->row->cfa = (struct mt_rule){.kind = MT_RULE_REGISTER, .reg = (uint8_t)reg, .offset = offset};
}

// A change of one part of the canonical address; the other must be one.
static struct mt_rule *plain_cfa(struct run *run) {
    if (run->row->cfa.kind != MT_RULE_REGISTER) run->program.bad = true;
    return &run->row->cfa;
}

static int64_t read_scaled(struct run *run, bool is_signed) {
    int64_t value = is_signed ? mt_bytes_sleb(&run->program) : (int64_t)mt_bytes_uleb(&run->program);
    return (int64_t)((uint64_t)value * (uint64_t)run->cie->data_align);
}

static void remember(struct run *run) {
    if (run->depth == REMEMBERED) {
        run->program.bad = true;
        return;
    }
    run->remembered[run->depth++] = *run->row;
}

static void recall(struct run *run) {
    if (run->depth == 0) {
        run->program.bad = true;
        return;
    }
    *run->row = run->remembered[--run->depth];
}

// What DW_CFA_* say of the canonical address, and of states.
static bool execute_cfa(struct run *run, uint8_t opcode) {
    struct mt_bytes *in = &run->program;
    uint64_t reg;
    switch (opcode) {
    case 0x0a:
        remember(run);
        return true;
    case 0x0b:
        recall(run);
        return true;
    case 0x0c:
        reg = mt_bytes_uleb(in);
        set_cfa(run, reg, (int64_t)mt_bytes_uleb(in));
        return true;
    case 0x0d:
        set_cfa(run, mt_bytes_uleb(in), plain_cfa(run)->offset);
        return true;
    case 0x0e:
        plain_cfa(run)->offset = (int64_t)mt_bytes_uleb(in);
        return true;
    case 0x0f:
        run->row->cfa = (struct mt_rule){.kind = MT_RULE_EXPRESSION, .expression = read_expression(run)};
        return true;
    case 0x12:
        reg = mt_bytes_uleb(in);
        set_cfa(run, reg, read_scaled(run, true));
        return true;
    case 0x13:
        plain_cfa(run)->offset = read_scaled(run, true);
        return true;
    default:
        return false;
    }
}

// … and of registers.
static bool execute_register(struct run *run, uint8_t opcode) {
    struct mt_bytes *in = &run->program;
    uint64_t reg;
    if (opcode < 0x05 || opcode == 0x2c || opcode == 0x2d) return opcode != 0x01; // aarch64's: signed or not
    if (opcode == 0x2e) return mt_bytes_uleb(in), true;                           // DW_CFA_GNU_args_size
    if (opcode == 0x10 || opcode == 0x16) {
        set_expression(run, opcode == 0x10 ? MT_RULE_AT_EXPRESSION : MT_RULE_EXPRESSION);
        return true;
    }
    reg = mt_bytes_uleb(in);
    switch (opcode) {
    case 0x05:
        set_rule(run, reg, MT_RULE_AT_CFA, read_scaled(run, false));
        return true;
    case 0x06:
        set_restored(run, reg);
        return true;
    case 0x07:
        set_rule(run, reg, MT_RULE_UNDEFINED, 0);
        return true;
    case 0x08:
        set_rule(run, reg, MT_RULE_SAME, 0);
        return true;
    case 0x09: {
        uint64_t source = mt_bytes_uleb(in);
        set_rule(run, reg, source < MT_REGISTERS ? MT_RULE_REGISTER : MT_RULE_UNDEFINED, 0);
        if (reg < MT_REGISTERS) run->row->registers[reg].reg = (uint8_t)source;
        return true;
    }
    case 0x11:
        set_rule(run, reg, MT_RULE_AT_CFA, read_scaled(run, true));
        return true;
    case 0x14:
        set_rule(run, reg, MT_RULE_CFA, read_scaled(run, false));
        return true;
    case 0x15:
        set_rule(run, reg, MT_RULE_CFA, read_scaled(run, true));
        return true;
    case 0x2f:
        set_rule(run, reg, MT_RULE_AT_CFA, -read_scaled(run, false));
        return true;
    default:
        return false;
    }
}

// By how much the program moves on in the code, 0 when this opcode is about something else.
static uint64_t advance(struct run *run, uint8_t opcode) {
    if (opcode >> 6 == 1) return (opcode & 0x3f) * run->cie->code_align;
    if (opcode < 0x02 || opcode > 0x04) return 0;
    return mt_bytes_unsigned(&run->program, opcode == 0x04 ? 4 : opcode - 1u) * run->cie->code_align;
}

static bool run_program(struct run *run) {
    while (run->program.at < run->program.end && !run->program.bad) {
        uint8_t opcode = (uint8_t)mt_bytes_unsigned(&run->program, 1);
        run->location += advance(run, opcode);
        if (run->location > run->wanted) return true;
        if (opcode >> 6 == 2) {
            set_rule(run, opcode & 0x3f, MT_RULE_AT_CFA, read_scaled(run, false));
        } else if (opcode >> 6 == 3) {
            set_restored(run, opcode & 0x3f);
        } else if (opcode >> 6 == 0 && !execute_cfa(run, opcode) && !execute_register(run, opcode)) {
            return false;
        }
    }
    return !run->program.bad;
}

bool mt_cfi_row(const struct mt_code *code, uintptr_t pc, struct mt_row *row) {
    struct cie cie;
    struct mt_row initial;
    uintptr_t address = code->table ? find_fde(code, pc) : 0;
    struct mt_bytes in = entry_at(code, address);
    uintptr_t self = (uintptr_t)in.at;
    uintptr_t back = mt_bytes_unsigned(&in, 4);
    if (in.bad || back == 0 || !read_cie(code, self - back, &cie)) return false;
    uintptr_t start = read_address(&in, cie.encoding);
    uintptr_t bytes = read_format(&in, cie.encoding);
    if (in.bad || pc < start || pc - start >= bytes) return false;
    if (cie.augmented) {
        uint64_t length = mt_bytes_uleb(&in);
        if (in.bad || length > (uint64_t)(in.end - in.at)) return false;
        in.at += length;
    }
    memset(row, 0, sizeof *row);
    row->signal_frame = cie.signal_frame;
    struct run run; // member by member: what is remembered is large, and mostly not used
    run.program = cie.program;
    run.cie = &cie;
    run.location = 0;
    run.wanted = pc;
    run.initial = NULL;
    run.row = row;
    run.depth = 0;
    if (!run_program(&run)) return false;
    initial = *row;
    run.program = in;
    run.location = start;
    run.initial = &initial;
    return run_program(&run) && row->cfa.kind != MT_RULE_SAME;
}
