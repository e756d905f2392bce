/*
 * See known_stacks.h. A learnt stack is a list of checks – the word at this address has this value –, from the inside
 * out: each was read where those before it lead, so that none is read that is no part of the stack. libunwind's steps
 * say where the words lie: a return address just below the frame's canonical address, and for frames that are found by
 * their frame pointer the place where it was saved.
 *
 * Not checked is what a frame makes of its alignment (code that realigns its stack for vectors); it would have to move
 * while everything deeper stays, with a stale copy of each outer return address in the right place.
 */
#define UNW_LOCAL_ONLY
#include "preload/known_stacks.h"

#include <libunwind.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/real_dlsym.h"

#ifdef __x86_64__

enum {
    SETS = 256, // by where the stack begins
    WAYS = 4,
    CHECKS = 1 << 15, // of all stacks together
    CHECKS_PER_STACK = 512,
    OWN_FRAMES = 4,          // between the learner and its caller's caller
    LEARN_AT_FIRST = 256,    // stacks
    HITS_TO_LEARN_MORE = 16, // … and one more for so many that were known
};

// The lowest bit of an address marks a return address that is a frame of the stack.
struct check {
    uintptr_t address;
    uintptr_t value;
};
#define IS_FRAME ((uintptr_t)1)

struct way {
    uintptr_t here;
    uint32_t first; // check; a list ends with address 0
    uint32_t seen;  // hash of a stack that came once; 0: `first` is learnt
    bool cut;
};

struct known {
    uint64_t generation;
    uint64_t hits;
    uint32_t learnt;
    uint32_t next_way;
    uint32_t used; // checks
    struct way sets[SETS][WAYS];
    struct check checks[CHECKS];
};

static __thread struct known *mine __attribute__((tls_model("initial-exec")));

static struct {
    int (*init)(unw_cursor_t *cursor, unw_context_t *context);
    int (*step)(unw_cursor_t *cursor);
    int (*get_register)(unw_cursor_t *cursor, int number, unw_word_t *value);
    int (*get_place)(unw_cursor_t *cursor, int number, unw_save_loc_t *place);
    int (*is_signal_frame)(unw_cursor_t *cursor);
} unwinder;

#define NAME_OF(function)          NAME_OF_EXPANDED(function)
#define NAME_OF_EXPANDED(function) #function

void mt_known_stacks_start(void *library) {
    *(void **)&unwinder.init = mt_real_dlsym(library, NAME_OF(unw_init_local));
    *(void **)&unwinder.get_register = mt_real_dlsym(library, NAME_OF(unw_get_reg));
    *(void **)&unwinder.get_place = mt_real_dlsym(library, NAME_OF(unw_get_save_loc));
    *(void **)&unwinder.is_signal_frame = mt_real_dlsym(library, NAME_OF(unw_is_signal_frame));
    *(void **)&unwinder.step = mt_real_dlsym(library, NAME_OF(unw_step));
    bool complete = unwinder.init && unwinder.get_register && unwinder.get_place && unwinder.is_signal_frame;
    if (!complete) unwinder.step = NULL;
}

static void forget(struct known *known, uint64_t generation) {
    memset(known->sets, 0, sizeof known->sets);
    known->generation = generation;
    known->used = 0;
}

static struct way *set_of(struct known *known, uintptr_t here) {
    return known->sets[(here >> 4) * 0x9e3779b97f4a7c15u >> 56];
}

static uintptr_t word_at(uintptr_t address) {
    return *(const volatile uintptr_t *)address;
}

// The frames of a list whose checks all hold, else 0.
static size_t frames_if_held(const struct check *check, struct mt_frame *frames, size_t capacity) {
    size_t count = 0;
    for (; check->address; check++) {
        if (word_at(check->address & ~IS_FRAME) != check->value) return 0;
        if (check->address & IS_FRAME && count < capacity) {
            frames[count++] = (struct mt_frame){.address = check->value};
        }
    }
    return count;
}

size_t mt_known_stack(uintptr_t here, uint64_t generation, struct mt_frame *frames, size_t capacity, bool *cut) {
    struct known *known = mine;
    if (!known) return 0;
    if (known->generation != generation) {
        forget(known, generation);
        return 0;
    }
    struct way *set = set_of(known, here);
    for (struct way *way = set; way < set + WAYS; way++) {
        if (way->here != here || way->seen) continue;
        size_t count = frames_if_held(known->checks + way->first, frames, capacity);
        if (count == 0) continue;
        known->hits++;
        *cut = way->cut;
        return count;
    }
    return 0;
}

// A list under construction.
struct lesson {
    struct check *next;
    const struct check *end;
    const struct mt_frame *frames;
    size_t count;
    size_t found; // of `frames`
    uintptr_t here;
};

static bool add_check(struct lesson *lesson, uintptr_t address, uintptr_t value, uintptr_t mark) {
    // What lies deeper than the caller's frame is not there the next time.
    if (lesson->next == lesson->end || address < lesson->here || address & 7 || word_at(address) != value) return false;
    *lesson->next++ = (struct check){address | mark, value};
    return true;
}

// The check of the return address that leads to the frame under the cursor.
static bool learn_return(struct lesson *lesson, unw_cursor_t *cursor) {
    unw_word_t ip, sp;
    if (unwinder.is_signal_frame(cursor) > 0 || unwinder.get_register(cursor, UNW_REG_IP, &ip) < 0 ||
        unwinder.get_register(cursor, UNW_REG_SP, &sp) < 0) {
        return false;
    }
    bool is_frame = ip == lesson->frames[lesson->found].address;
    if (!is_frame && lesson->found > 0) return false;
    lesson->found += is_frame;
    return add_check(lesson, sp - sizeof(uintptr_t), ip, is_frame ? IS_FRAME : 0);
}

// Moves on to the caller, with a check of the frame pointer if that has led there.
static bool learn_step(struct lesson *lesson, unw_cursor_t *cursor) {
    unw_word_t frame_pointer, caller_sp;
    unw_save_loc_t saved;
    if (unwinder.get_register(cursor, UNW_X86_64_RBP, &frame_pointer) < 0 ||
        unwinder.get_place(cursor, UNW_X86_64_RBP, &saved) < 0 || unwinder.step(cursor) <= 0 ||
        unwinder.get_register(cursor, UNW_REG_SP, &caller_sp) < 0) {
        return false;
    }
    if (caller_sp != frame_pointer + 2 * sizeof(uintptr_t)) return true;
    return saved.type == UNW_SLT_MEMORY && add_check(lesson, saved.u.addr, frame_pointer, 0);
}

// From here to the function whose frame pointer is `here`, then on to its caller.
static bool leave_own_frames(unw_cursor_t *cursor, uintptr_t here) {
    unw_word_t sp = 0;
    for (int i = 0; i < OWN_FRAMES; i++) {
        if (unwinder.step(cursor) <= 0 || unwinder.get_register(cursor, UNW_REG_SP, &sp) < 0) return false;
        if (sp == here + 2 * sizeof(uintptr_t)) return true;
    }
    return false;
}

// Fills in `way`; false when the stack can't be learnt.
static bool learn(struct known *known, struct way *way, const struct mt_frame *frames, size_t count) {
    struct check *first = known->checks + known->used;
    struct lesson lesson = {first, first + CHECKS_PER_STACK - 1, frames, count, 0, way->here};
    unw_context_t context;
    unw_cursor_t cursor;
    if (getcontext(&context) != 0 || unwinder.init(&cursor, &context) < 0 || !leave_own_frames(&cursor, way->here)) {
        return false;
    }
    while (learn_return(&lesson, &cursor)) {
        if (lesson.found == count) {
            *lesson.next++ = (struct check){0, 0};
            way->first = known->used;
            known->used += (uint32_t)(lesson.next - first);
            return true;
        }
        if (!learn_step(&lesson, &cursor)) return false;
    }
    return false;
}

static uint32_t hash_of(const struct mt_frame *frames, size_t count) {
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) hash = (hash ^ frames[i].address) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash >> 32) | 1;
}

static struct known *my_known(uint64_t generation) {
    if (!mine) {
        void *memory = mmap(NULL, sizeof *mine, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return NULL;
        mine = memory;
    }
    if (mine->generation != generation || mine->used + CHECKS_PER_STACK > CHECKS) forget(mine, generation);
    return mine;
}

void mt_learn_stack(uintptr_t here, uint64_t generation, const struct mt_frame *frames, size_t count, bool cut) {
    if (!unwinder.step || count == 0) return;
    struct known *known = my_known(generation);
    if (!known || known->learnt >= LEARN_AT_FIRST + known->hits / HITS_TO_LEARN_MORE) return;
    struct way *set = set_of(known, here);
    uint32_t hash = hash_of(frames, count);
    for (struct way *way = set; way < set + WAYS; way++) {
        if (way->here != here || way->seen != hash) continue;
        known->learnt++;
        if (learn(known, way, frames, count)) {
            way->cut = cut;
            way->seen = 0;
        }
        return;
    }
    set[known->next_way++ % WAYS] = (struct way){.here = here, .seen = hash};
}

void mt_known_stacks_drop(void) {
    if (mine) munmap(mine, sizeof *mine);
    mine = NULL;
}

#else

void mt_known_stacks_start(void *library) {
    (void)library;
}

size_t mt_known_stack(uintptr_t here, uint64_t generation, struct mt_frame *frames, size_t capacity, bool *cut) {
    (void)here, (void)generation, (void)frames, (void)capacity, (void)cut;
    return 0;
}

void mt_learn_stack(uintptr_t here, uint64_t generation, const struct mt_frame *frames, size_t count, bool cut) {
    (void)here, (void)generation, (void)frames, (void)count, (void)cut;
}

void mt_known_stacks_drop(void) {
}

#endif
