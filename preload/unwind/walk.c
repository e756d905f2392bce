/*
 * See walk.h. Nearly all frames are left by one of three rules that need no more than the stack and the frame pointer.
 * A rule is a word, kept in a table by a hash of the place in the code. The table is shared by all threads and has no
 * lock: an entry is two words, the rule and the exclusive or of rule and hash, so one that is half written is none.
 */
#include "preload/unwind/walk.h"

#include <stdatomic.h>

#include "preload/unwind/modules.h"
#include "preload/unwind/stack_memory.h"

// Once in a way of the cache's lines, which have 64 bytes. Pages of it that are never used cost nothing.
enum { SET_BITS = 13, WAYS = 4 };
enum { OWN_FRAMES = 64 }; // at most, from the walk itself to where it begins

enum leave {
    LEAVE_NONE,  // not a rule
    LEAVE_BY_SP, // the canonical address is the stack pointer plus a constant
    LEAVE_BY_FP, // … the frame pointer plus a constant
    LEAVE_AT_FP, // … in memory, there: where GCC realigns a stack of changing size
    LEAVE_NEVER, // the outermost frame
    LEAVE_BY_ALL // it takes all registers
};

enum caller_fp {
    FP_SAME,
    FP_AT_CFA, // saved at the canonical address plus a constant
    FP_AT_FP   // … at the frame pointer plus a constant
};

// From the lowest bits on: how to leave (3), the caller's frame pointer (2), where the canonical address is (27,
// signed), and in words (16 each, signed) where the caller's frame pointer and the return address are.
typedef uint64_t packed;
enum { FP_SHIFT = 3, CFA_SHIFT = 5, FP_OFFSET_SHIFT = 32, RA_SHIFT = 48, CFA_BITS = 27 };

static struct { _Atomic(uint64_t) check, rule; } known[WAYS << SET_BITS] __attribute__((aligned(64)));
static _Atomic(unsigned) next_way;

// The entry that was used after each, the last time. Mostly it is the right one again, and then the processor need not
// wait for a frame's return address before it computes where the next one's is.
static _Atomic(uint16_t) followed_by[WAYS << SET_BITS];

static inline packed recall_at(unsigned at, uint64_t hash) {
    packed rule = atomic_load_explicit(&known[at].rule, memory_order_relaxed);
    return (atomic_load_explicit(&known[at].check, memory_order_relaxed) ^ rule) == hash ? rule : LEAVE_NONE;
}

static void remember(uint64_t hash, packed rule) {
    unsigned first = (unsigned)(hash >> (64 - SET_BITS)) * WAYS;
    unsigned at = first + atomic_fetch_add_explicit(&next_way, 1, memory_order_relaxed) % WAYS;
    for (unsigned i = first + WAYS; i-- > first;) {
        packed there = atomic_load_explicit(&known[i].rule, memory_order_relaxed);
        uint64_t check = atomic_load_explicit(&known[i].check, memory_order_relaxed);
        if (!there || (check ^ there) == hash) at = i;
    }
    atomic_store_explicit(&known[at].check, hash ^ rule, memory_order_relaxed);
    atomic_store_explicit(&known[at].rule, rule, memory_order_relaxed);
}

// DW_OP_breg of the frame pointer, plus *offset, and `tail` behind it, are all that the expression holds.
static bool is_at_fp(const uint8_t *expression, const uint8_t *tail, size_t tail_bytes, int64_t *offset) {
    enum { BREG = 0x70 };
    struct mt_bytes in = {expression, expression + 10, false};
    uint64_t length = mt_bytes_uleb(&in);
    in.end = in.at + length;
    if (mt_bytes_unsigned(&in, 1) != BREG + MT_REGISTER_FP) return false;
    *offset = mt_bytes_sleb(&in);
    for (size_t i = 0; i < tail_bytes; i++) {
        if (mt_bytes_unsigned(&in, 1) != tail[i]) return false;
    }
    return in.at == in.end && !in.bad;
}

static enum leave cfa_rule(const struct mt_rule *cfa, int64_t *offset) {
    static const uint8_t dereference[] = {0x06};
    *offset = cfa->kind == MT_RULE_REGISTER ? cfa->offset : 0;
    if (cfa->kind == MT_RULE_REGISTER && cfa->reg == MT_REGISTER_SP) return LEAVE_BY_SP;
    if (cfa->kind == MT_RULE_REGISTER && cfa->reg == MT_REGISTER_FP) return LEAVE_BY_FP;
    if (cfa->kind == MT_RULE_EXPRESSION && is_at_fp(cfa->expression, dereference, 1, offset)) return LEAVE_AT_FP;
    return LEAVE_BY_ALL;
}

static bool fp_rule(const struct mt_rule *saved, enum caller_fp *how, int64_t *offset) {
    *offset = 0;
    if (saved->kind == MT_RULE_SAME) {
        *how = FP_SAME;
    } else if (saved->kind == MT_RULE_AT_CFA) {
        *how = FP_AT_CFA;
        *offset = saved->offset;
    } else {
        *how = FP_AT_FP;
        return saved->kind == MT_RULE_AT_EXPRESSION && is_at_fp(saved->expression, NULL, 0, offset);
    }
    return true;
}

static bool fits(int64_t offset) {
    return offset % 8 == 0 && offset / 8 >= INT16_MIN && offset / 8 <= INT16_MAX;
}

static packed rule_of(const struct mt_row *row) {
    const struct mt_rule *link = &row->registers[MT_REGISTER_RA];
    int64_t cfa_offset, fp_offset, limit = INT64_C(1) << (CFA_BITS - 1);
    enum caller_fp how;
    if (link->kind == MT_RULE_UNDEFINED) return LEAVE_NEVER;
    enum leave leave = cfa_rule(&row->cfa, &cfa_offset);
    if (leave == LEAVE_BY_ALL || row->signal_frame || row->registers[MT_REGISTER_SP].kind != MT_RULE_SAME ||
        link->kind != MT_RULE_AT_CFA || !fp_rule(&row->registers[MT_REGISTER_FP], &how, &fp_offset) ||
        cfa_offset >= limit || cfa_offset < -limit || !fits(fp_offset) || !fits(link->offset)) {
        return LEAVE_BY_ALL;
    }
    return (uint64_t)leave | (uint64_t)how << FP_SHIFT |
           ((uint64_t)cfa_offset & ((UINT64_C(1) << CFA_BITS) - 1)) << CFA_SHIFT |
           (uint64_t)(uint16_t)(fp_offset / 8) << FP_OFFSET_SHIFT | (uint64_t)(uint16_t)(link->offset / 8) << RA_SHIFT;
}

static inline int64_t cfa_offset_of(packed rule) {
    return (int64_t)(rule << (64 - CFA_SHIFT - CFA_BITS)) >> (64 - CFA_BITS);
}

static inline int64_t words_of(packed rule, unsigned shift) {
    return (int16_t)(rule >> shift) * 8;
}

// Of the function that the walk has come to. A return address may stand just behind its function's end.
static bool find_row(uintptr_t pc, bool interrupted, struct mt_row *row) {
    struct mt_code code;
    uintptr_t place = interrupted ? pc : pc - 1;
    return mt_unwind_module(place, &code) && mt_cfi_row(&code, place, row);
}

// LEAVE_NONE where nothing covers the place. That is not remembered: code may be loaded there.
static packed learn(uintptr_t pc, uint64_t hash) {
    struct mt_row row;
    if (!find_row(pc, false, &row)) return LEAVE_NONE;
    packed learnt = rule_of(&row);
    remember(hash, learnt);
    return learnt;
}

// Where the guess was wrong. *at: the entry used before; becomes the one of this hash.
static __attribute__((noinline)) packed look_up(const struct mt_walk *walk, uintptr_t pc, uint64_t hash, unsigned *at) {
    unsigned first = (unsigned)(hash >> (64 - SET_BITS)) * WAYS;
    packed rule = LEAVE_NONE;
    for (unsigned i = first; i < first + WAYS && !rule && !walk->fresh; i++) {
        rule = recall_at(i, hash);
        if (!rule) continue;
        atomic_store_explicit(&followed_by[*at], (uint16_t)i, memory_order_relaxed);
        *at = i;
    }
    return rule ? rule : learn(pc, hash);
}

// To the caller by a rule. False, and nothing changed, if that needs what can't be read.
static inline bool leave_by(struct mt_place *place, packed rule, struct mt_stretch *known_memory) {
    uint64_t cfa = (rule & 7) == LEAVE_BY_SP ? place->sp : place->fp;
    uint64_t fp = place->fp, link;
    cfa += (uint64_t)cfa_offset_of(rule);
    if ((rule & 7) == LEAVE_AT_FP && !mt_stack_word(known_memory, cfa, &cfa)) return false;
    if (!mt_stack_word(known_memory, cfa + (uint64_t)words_of(rule, RA_SHIFT), &link)) return false;
    unsigned how = rule >> FP_SHIFT & 3;
    uint64_t saved = (how == FP_AT_CFA ? cfa : fp) + (uint64_t)words_of(rule, FP_OFFSET_SHIFT);
    if (how != FP_SAME && !mt_stack_word(known_memory, saved, &fp)) return false;
    *place = (struct mt_place){.pc = mt_return_address(link), .sp = cfa, .fp = fp};
    return place->pc != 0;
}

static bool step_all(struct mt_walk *walk) {
    struct mt_row row;
    walk->blind = !find_row(walk->registers.pc, walk->registers.interrupted, &row);
    return !walk->blind && mt_registers_step(&walk->registers, &row);
}

// All registers of the frame that comes next: from this very function on, through what stands between.
static __attribute__((noinline)) bool find_registers(struct mt_walk *walk) {
    mt_registers_here(&walk->registers);
    for (size_t i = 0; i < OWN_FRAMES + walk->frames; i++) {
        if (!step_all(walk)) return false;
        if (walk->registers.value[MT_REGISTER_SP] == walk->at.sp && walk->registers.pc == walk->at.pc) return true;
    }
    return false;
}

void mt_walk_begin(struct mt_walk *walk, uintptr_t here, uint64_t generation, bool fresh) {
    const uintptr_t *words = (const uintptr_t *)here;
    mt_stack_memory_begin(here);
    walk->at = (struct mt_place){.pc = mt_return_address(words[1]), .sp = here + 2 * sizeof *words, .fp = words[0]};
    walk->seed = generation * UINT64_C(0xd6e8feb86659fd93);
    walk->frames = 0;
    walk->fresh = fresh;
    walk->over = false;
    walk->blind = false;
    walk->all = false;
}

// With all registers, from a frame on that takes them. Each step is read anew.
static size_t walk_all(struct mt_walk *walk, struct mt_frame *frames, size_t wanted) {
    size_t count = 0;
    while (count < wanted && !walk->over) {
        walk->over = !step_all(walk);
        if (!walk->over) frames[count++] = (struct mt_frame){.address = walk->registers.pc};
    }
    return count;
}

size_t mt_walk_on(struct mt_walk *walk, struct mt_frame *frames, size_t wanted) {
    struct mt_place at = walk->at;
    size_t count = 0;
    bool goes_on = !walk->over && !walk->all, fresh = walk->fresh;
    packed rule = LEAVE_NONE;
    unsigned entry = 0;
    struct mt_stretch known_memory = mt_stack_stretch;
    while (goes_on && count < wanted) {
        uint64_t hash = at.pc * UINT64_C(0x9e3779b97f4a7c15) + walk->seed;
        frames[count++] = (struct mt_frame){.address = at.pc};
        unsigned guess = atomic_load_explicit(&followed_by[entry], memory_order_relaxed);
        rule = recall_at(guess, hash);
        if (__builtin_expect(rule && !fresh, 1)) {
            entry = guess;
        } else {
            rule = look_up(walk, at.pc, hash, &entry);
        }
        goes_on = rule && (rule & 7) < LEAVE_NEVER && leave_by(&at, rule, &known_memory);
    }
    walk->at = at;
    walk->frames += count;
    if (goes_on) return count;
    if (count > 0) walk->blind = rule == LEAVE_NONE;
    if (rule == LEAVE_BY_ALL) walk->all = find_registers(walk);
    walk->over = !walk->all;
    return count + walk_all(walk, frames + count, wanted - count);
}
