/*
 * See known_stacks.h. Where the next word lies follows from those before it, so what is known is a tree: each node says
 * which word to read next, its children what that word may be; a path from the root – where the stack begins – to a
 * leaf is a stack. No word is read that is no part of the stack. libunwind's steps say where the words lie: a return
 * address just below the frame's canonical address; for frames that have a frame pointer the place where it was saved;
 * and for those that realign their stack the place where they noted where it was.
 */
#define UNW_LOCAL_ONLY
#include "preload/known_stacks.h"

#include <libunwind.h>
#include <stdatomic.h>
#include <string.h>

#include "preload/real_dlsym.h"
#include "tracer/checksum.h"
#include "tracer/memory.h"

#ifdef __x86_64__

enum {
    ROOTS = 1024,
    ROOT_PROBES = 8,
    NODES = 1 << 15,
    SEEN = 1024,             // hashes
    WORDS = 300,             // of one stack
    SAVED_REGISTERS = 8,     // at most, by one frame
    OWN_FRAMES = 32,         // at most, from the learner to the function whose frame pointer is `here`
    LEARN_AT_FIRST = 1024,   // stacks
    HITS_TO_LEARN_MORE = 16, // … and one more for so many that were known
};

// Flags in the lowest bits of an address.
#define IS_FRAME ((uintptr_t)1) // the node's value is a frame of the stack
#define IS_CUT   ((uintptr_t)2) // a leaf's: the stack goes on
#define FLAGS    (IS_FRAME | IS_CUT)

struct node {
    uintptr_t value;   // of the word that the parent's address names; the root's: where the stack begins
    uintptr_t address; // of the word to read next, 0 in a leaf
    uint32_t child;    // 0, or the first: the next node
    uint32_t sibling;
};

struct known {
    uint64_t generation;
    uint64_t hits;
    uint32_t learnt;
    uint32_t nodes_used;
    struct {
        uintptr_t here;
        uint32_t node;
    } roots[ROOTS];
    uint32_t seen[SEEN]; // of stacks that came once
    struct node nodes[NODES];
};

static __thread struct known *mine __attribute__((tls_model("initial-exec")));

static struct {
    int (*get_context)(unw_context_t *context);
    int (*init)(unw_cursor_t *cursor, unw_context_t *context);
    int (*step)(unw_cursor_t *cursor);
    int (*get_register)(unw_cursor_t *cursor, int number, unw_word_t *value);
    int (*get_place)(unw_cursor_t *cursor, int number, unw_save_loc_t *place);
    int (*is_signal_frame)(unw_cursor_t *cursor);
} unwinder;

#define NAME_OF(function)          NAME_OF_EXPANDED(function)
#define NAME_OF_EXPANDED(function) #function

void mt_known_stacks_start(void *library) {
    *(void **)&unwinder.get_context = mt_real_dlsym(library, NAME_OF(unw_tdep_getcontext));
    *(void **)&unwinder.init = mt_real_dlsym(library, NAME_OF(unw_init_local));
    *(void **)&unwinder.get_register = mt_real_dlsym(library, NAME_OF(unw_get_reg));
    *(void **)&unwinder.get_place = mt_real_dlsym(library, NAME_OF(unw_get_save_loc));
    *(void **)&unwinder.is_signal_frame = mt_real_dlsym(library, NAME_OF(unw_is_signal_frame));
    *(void **)&unwinder.step = mt_real_dlsym(library, NAME_OF(unw_step));
    bool complete = unwinder.get_context && unwinder.init && unwinder.get_register && unwinder.get_place &&
                    unwinder.is_signal_frame;
    if (!complete) unwinder.step = NULL;
}

static void forget(struct known *known, uint64_t generation) {
    memset(known->roots, 0, sizeof known->roots);
    memset(known->seen, 0, sizeof known->seen);
    known->generation = generation;
    known->nodes_used = 1;
}

// The root of the stacks that begin there, NULL if there is none and none is to be made.
static struct node *root_of(struct known *known, uintptr_t here, bool make) {
    uint64_t hash = (here >> 4) * 0x9e3779b97f4a7c15u >> 32;
    for (unsigned i = 0; i < ROOT_PROBES; i++) {
        unsigned at = (hash + i) % ROOTS;
        if (known->roots[at].here == here) return &known->nodes[known->roots[at].node];
        if (known->roots[at].here) continue;
        if (!make) return NULL;
        known->roots[at].here = here;
        known->roots[at].node = known->nodes_used;
        known->nodes[known->nodes_used] = (struct node){.value = here};
        return &known->nodes[known->nodes_used++];
    }
    return NULL;
}

// The first child lies behind its parent, where the processor looks ahead.
static inline struct node *child_of(struct known *known, struct node *node, uintptr_t value) {
    if (!node->child) return NULL;
    if (node[1].value == value) return node + 1;
    uint32_t child = node[1].sibling;
    while (child && known->nodes[child].value != value) child = known->nodes[child].sibling;
    return child ? &known->nodes[child] : NULL;
}

static struct node *add_child(struct known *known, struct node *node, struct node child) {
    uint32_t at = known->nodes_used++, *link = &node->child;
    while (*link) link = &known->nodes[*link].sibling;
    *link = at;
    known->nodes[at] = child;
    return &known->nodes[at];
}

static uintptr_t word_at(uintptr_t address) {
    return *(const volatile uintptr_t *)address;
}

size_t mt_known_stack(uintptr_t here, uint64_t generation, struct mt_frame *frames, size_t capacity, bool *cut) {
    struct known *known = mine;
    size_t count = 0;
    if (!known) return 0;
    if (known->generation != generation) {
        forget(known, generation);
        return 0;
    }
    struct node *node = root_of(known, here, false);
    if (!node) return 0;
    while (node->address & ~FLAGS) {
        uintptr_t word = word_at(node->address & ~FLAGS);
        node = child_of(known, node, word);
        if (!node) return 0;
        if (node->address & IS_FRAME && count < capacity) frames[count++] = (struct mt_frame){.address = word};
    }
    known->hits += count > 0;
    *cut = node->address & IS_CUT;
    return count;
}

// The words of a stack, from the inside out.
struct lesson {
    struct {
        uintptr_t address; // with IS_FRAME
        uintptr_t value;
    } words[WORDS];
    size_t word_count;
    const struct mt_frame *frames;
    size_t count;
    size_t found; // of `frames`
    uintptr_t here;
};

static bool add_word(struct lesson *lesson, uintptr_t address, uintptr_t value, uintptr_t mark) {
    // What lies deeper than the caller's frame is not there the next time.
    if (lesson->word_count == WORDS || address < lesson->here || address & 7 || word_at(address) != value) return false;
    lesson->words[lesson->word_count].address = address | mark;
    lesson->words[lesson->word_count++].value = value;
    return true;
}

// The return address that leads to the frame under the cursor.
static bool learn_return(struct lesson *lesson, unw_cursor_t *cursor) {
    unw_word_t ip, sp;
    if (unwinder.is_signal_frame(cursor) > 0 || unwinder.get_register(cursor, UNW_REG_IP, &ip) < 0 ||
        unwinder.get_register(cursor, UNW_REG_SP, &sp) < 0) {
        return false;
    }
    bool is_frame = ip == lesson->frames[lesson->found].address;
    if (!is_frame && lesson->found > 0) return false;
    lesson->found += is_frame;
    return add_word(lesson, sp - sizeof(uintptr_t), ip, is_frame ? IS_FRAME : 0);
}

// A frame that realigned its stack notes below its frame pointer, among the registers that it saves, where it began.
static bool learn_alignment(struct lesson *lesson, uintptr_t sp, uintptr_t frame_pointer, uintptr_t caller_sp) {
    for (uintptr_t at = frame_pointer - sizeof(uintptr_t); at >= sp; at -= sizeof(uintptr_t)) {
        if (frame_pointer - at > SAVED_REGISTERS * sizeof(uintptr_t)) break;
        if (word_at(at) == caller_sp) return add_word(lesson, at, caller_sp, 0);
    }
    return true;
}

// Moves on to the caller, with the frame pointer if it lies in the frame and so may have led there.
static bool learn_step(struct lesson *lesson, unw_cursor_t *cursor) {
    unw_word_t sp, frame_pointer, caller_sp;
    unw_save_loc_t saved;
    if (unwinder.get_register(cursor, UNW_REG_SP, &sp) < 0 ||
        unwinder.get_register(cursor, UNW_X86_64_RBP, &frame_pointer) < 0 ||
        unwinder.get_place(cursor, UNW_X86_64_RBP, &saved) < 0 || unwinder.step(cursor) <= 0 ||
        unwinder.get_register(cursor, UNW_REG_SP, &caller_sp) < 0) {
        return false;
    }
    if (frame_pointer < sp || frame_pointer >= caller_sp || frame_pointer & 7) return true;
    if (saved.type != UNW_SLT_MEMORY || !add_word(lesson, saved.u.addr, frame_pointer, 0)) return false;
    return caller_sp == frame_pointer + 2 * sizeof(uintptr_t) || learn_alignment(lesson, sp, frame_pointer, caller_sp);
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

static bool read_words(struct lesson *lesson) {
    unw_context_t context;
    unw_cursor_t cursor;
    if (unwinder.get_context(&context) != 0 || unwinder.init(&cursor, &context) < 0 ||
        !leave_own_frames(&cursor, lesson->here)) {
        return false;
    }
    while (learn_return(lesson, &cursor)) {
        if (lesson->found == lesson->count) return true;
        if (!learn_step(lesson, &cursor)) return false;
    }
    return false;
}

// Adds the path of the words. A stack that ends where another goes on is not added.
static void plant(struct known *known, const struct lesson *lesson, bool cut) {
    struct node *node = root_of(known, lesson->here, true);
    if (!node) return;
    if (!node->address) node->address = lesson->words[0].address & ~FLAGS;
    for (size_t i = 0; i < lesson->word_count; i++) {
        bool last = i + 1 == lesson->word_count;
        uintptr_t next = last ? (cut ? IS_CUT : 0) : lesson->words[i + 1].address & ~FLAGS;
        next |= lesson->words[i].address & IS_FRAME;
        if ((node->address & ~FLAGS) != (lesson->words[i].address & ~FLAGS)) return;
        struct node *child = child_of(known, node, lesson->words[i].value);
        if (!child) {
            child = add_child(known, node, (struct node){.value = lesson->words[i].value, .address = next});
        } else if (child->address != next) {
            return;
        }
        node = child;
    }
}

static uint32_t hash_of(const struct mt_frame *frames, size_t count) {
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) hash = mt_step(hash, frames[i].address);
    return (uint32_t)hash;
}

static struct known *my_known(uint64_t generation) {
    if (!mine && !(mine = mt_pages_map(sizeof *mine))) return NULL;
    if (mine->nodes_used == 0) { // fresh memory: pages that are never needed are not touched
        mine->generation = generation;
        mine->nodes_used = 1;
    }
    bool full = mine->nodes_used + WORDS + 1 > NODES;
    if (mine->generation != generation || full) forget(mine, generation);
    return mine;
}

void mt_learn_stack(uintptr_t here, uint64_t generation, const struct mt_frame *frames, size_t count, bool cut) {
    if (!unwinder.step || count == 0) return;
    struct known *known = my_known(generation);
    if (!known || known->learnt >= LEARN_AT_FIRST + known->hits / HITS_TO_LEARN_MORE) return;
    uint32_t hash = hash_of(frames, count) ^ (uint32_t)here;
    uint32_t *seen = &known->seen[hash % SEEN];
    if (*seen != hash) {
        *seen = hash;
        return;
    }
    struct lesson lesson = {.frames = frames, .count = count, .here = here};
    known->learnt++;
    if (read_words(&lesson)) plant(known, &lesson, cut);
}

void mt_known_stacks_drop(void) {
    if (mine) mt_pages_unmap(mine, sizeof *mine);
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
