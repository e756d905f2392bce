/*
 * See registers.h. Frame information may compute an address by a small program for a stack machine, a DWARF expression:
 * signal frames, procedure linkage tables and hand-written assembly use it. Operations that they have no use for are
 * not known here, and end the step.
 */
#include "preload/unwind/registers.h"

#include "preload/unwind/stack_memory.h"

enum { DEPTH = 16 };

// Of a signal's frame, aarch64's tables tell the link register and not where the program was interrupted.
#if defined(__x86_64__)
#define SIGNAL_FRAMES_WHOLE true
#else
#define SIGNAL_FRAMES_WHOLE false
#endif

// Those that a called function may change, unless it says so: they are lost in its caller.
#if defined(__x86_64__)
#define LOST_BY_CALLS UINT64_C(0x10f37) // rax, rdx, rcx, rsi, rdi, r8 to r11, and the return address itself
#else
#define LOST_BY_CALLS UINT64_C(0x4007ffff) // x0 to x18, x30
#endif

struct machine {
    struct mt_bytes in;
    const struct mt_registers *registers;
    uint64_t stack[DEPTH];
    unsigned depth;
    bool bad;
};

static void push(struct machine *machine, uint64_t value) {
    if (machine->depth == DEPTH) {
        machine->bad = true;
    } else {
        machine->stack[machine->depth++] = value;
    }
}

static uint64_t pop(struct machine *machine) {
    if (machine->depth == 0) {
        machine->bad = true;
        return 0;
    }
    return machine->stack[--machine->depth];
}

static uint64_t pick(struct machine *machine, uint64_t from_top) {
    if (from_top >= machine->depth) {
        machine->bad = true;
        return 0;
    }
    return machine->stack[machine->depth - 1 - from_top];
}

static bool read_register(const struct mt_registers *registers, uint64_t number, uint64_t *value) {
    if (number >= MT_REGISTERS || !(registers->valid >> number & 1)) return false;
    *value = registers->value[number];
    return true;
}

static void push_register(struct machine *machine, uint64_t number, int64_t offset) {
    uint64_t value = 0;
    if (!read_register(machine->registers, number, &value)) machine->bad = true;
    push(machine, value + (uint64_t)offset);
}

static void dereference(struct machine *machine) {
    uint64_t value = 0;
    if (!mt_stack_word(&mt_stack_stretch, pop(machine), &value)) machine->bad = true;
    push(machine, value);
}

// DW_OP_const1u to DW_OP_consts, 0x08 to 0x11.
static void push_constant(struct machine *machine, uint8_t opcode) {
    unsigned width = 1u << ((opcode - 0x08) / 2);
    if (opcode == 0x10) {
        push(machine, mt_bytes_uleb(&machine->in));
    } else if (opcode == 0x11) {
        push(machine, (uint64_t)mt_bytes_sleb(&machine->in));
    } else {
        uint64_t value = mt_bytes_unsigned(&machine->in, width);
        unsigned unused = 64 - 8 * width;
        push(machine, opcode & 1 ? (uint64_t)((int64_t)(value << unused) >> unused) : value);
    }
}

static uint64_t compute(struct machine *machine, uint8_t opcode, uint64_t left, uint64_t right) {
    int64_t one = (int64_t)left, other = (int64_t)right;
    uint64_t shift = right & 63;
    switch (opcode) {
    case 0x1a:
        return left & right;
    case 0x1c:
        return left - right;
    case 0x1e:
        return left * right;
    case 0x21:
        return left | right;
    case 0x22:
        return left + right;
    case 0x24:
        return right > 63 ? 0 : left << shift;
    case 0x25:
        return right > 63 ? 0 : left >> shift;
    case 0x27:
        return left ^ right;
    case 0x29:
        return one == other;
    case 0x2a:
        return one >= other;
    case 0x2b:
        return one > other;
    case 0x2c:
        return one <= other;
    case 0x2d:
        return one < other;
    case 0x2e:
        return one != other;
    default:
        machine->bad = true;
        return 0;
    }
}

static void execute(struct machine *machine, uint8_t opcode) {
    if (opcode >= 0x30 && opcode <= 0x4f) return push(machine, opcode - 0x30u);
    if (opcode >= 0x70 && opcode <= 0x8f) {
        return push_register(machine, opcode - 0x70u, mt_bytes_sleb(&machine->in));
    }
    if (opcode >= 0x08 && opcode <= 0x11) return push_constant(machine, opcode);
    switch (opcode) {
    case 0x06:
        dereference(machine);
        return;
    case 0x12:
        push(machine, pick(machine, 0));
        return;
    case 0x13:
        pop(machine);
        return;
    case 0x14:
        push(machine, pick(machine, 1));
        return;
    case 0x1f:
        push(machine, 0 - pop(machine));
        return;
    case 0x20:
        push(machine, ~pop(machine));
        return;
    case 0x23:
        push(machine, pop(machine) + mt_bytes_uleb(&machine->in));
        return;
    case 0x92: {
        uint64_t number = mt_bytes_uleb(&machine->in);
        push_register(machine, number, mt_bytes_sleb(&machine->in));
        return;
    }
    case 0x96:
        return; // DW_OP_nop
    default: {
        uint64_t right = pop(machine), left = pop(machine);
        push(machine, compute(machine, opcode, left, right));
    }
    }
}

// `first`, if given, is what the machine's stack begins with.
static bool evaluate(const struct mt_registers *registers, const uint8_t *expression, const uint64_t *first,
                     uint64_t *value) {
    struct machine machine = {.registers = registers};
    // The reader of the row has seen that the whole of it lies within its entry.
    machine.in = (struct mt_bytes){expression, expression + 10, false};
    uint64_t length = mt_bytes_uleb(&machine.in);
    machine.in.end = machine.in.at + length;
    if (first) push(&machine, *first);
    while (machine.in.at < machine.in.end && !machine.in.bad && !machine.bad) {
        execute(&machine, (uint8_t)mt_bytes_unsigned(&machine.in, 1));
    }
    *value = pop(&machine);
    return !machine.bad && !machine.in.bad;
}

// What a register of the caller's is, by its rule.
static bool apply(const struct mt_registers *now, const struct mt_rule *rule, uint64_t cfa, uint64_t *value) {
    uint64_t address;
    switch (rule->kind) {
    case MT_RULE_AT_CFA:
        return mt_stack_word(&mt_stack_stretch, cfa + (uint64_t)rule->offset, value);
    case MT_RULE_CFA:
        *value = cfa + (uint64_t)rule->offset;
        return true;
    case MT_RULE_REGISTER:
        if (!read_register(now, rule->reg, value)) return false;
        *value += (uint64_t)rule->offset;
        return true;
    case MT_RULE_AT_EXPRESSION:
        return evaluate(now, rule->expression, &cfa, &address) && mt_stack_word(&mt_stack_stretch, address, value);
    case MT_RULE_EXPRESSION:
        return evaluate(now, rule->expression, &cfa, value);
    default:
        return false;
    }
}

// The canonical address is computed before there is one.
static bool find_cfa(const struct mt_registers *now, const struct mt_rule *rule, uint64_t *cfa) {
    if (rule->kind == MT_RULE_EXPRESSION) return evaluate(now, rule->expression, NULL, cfa);
    return apply(now, rule, 0, cfa);
}

bool mt_registers_step(struct mt_registers *registers, const struct mt_row *row) {
    const struct mt_registers now = *registers;
    struct mt_registers next = now;
    uint64_t cfa, link = 0;
    if (row->signal_frame && !SIGNAL_FRAMES_WHOLE) return false;
    if (!find_cfa(&now, &row->cfa, &cfa)) return false;
    if (!row->signal_frame) next.valid &= ~LOST_BY_CALLS;
    next.value[MT_REGISTER_SP] = cfa;
    for (unsigned i = 0; i < MT_REGISTERS; i++) {
        const struct mt_rule *rule = &row->registers[i];
        if (rule->kind == MT_RULE_SAME) continue;
        next.valid &= ~(UINT64_C(1) << i);
        if (apply(&now, rule, cfa, &next.value[i])) next.valid |= UINT64_C(1) << i;
    }
    bool saved = row->registers[MT_REGISTER_RA].kind != MT_RULE_SAME;
    if (!read_register(saved ? &next : &now, MT_REGISTER_RA, &link) || !(next.valid >> MT_REGISTER_SP & 1))
        return false;
    next.pc = mt_return_address(link);
    if (!row->signal_frame) next.valid &= ~(UINT64_C(1) << MT_REGISTER_RA);
    next.interrupted = row->signal_frame;
    if (next.pc == 0) return false;
    *registers = next;
    return true;
}
