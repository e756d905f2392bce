/*
 * Call stacks as numbers. A known stack is one hash over its frames and one probe, without a lock; a new one is walked
 * from its outermost frame through a trie of (parent, frame) nodes, and writes those that are new. The id of a stack is
 * the id of its innermost node.
 *
 * What an address means ends with the module it lies in. Nodes are therefore keyed on the module too, and when one
 * vanishes the epoch changes, so that every stack takes the slow way once more and gets new nodes where it must.
 */
#include "tracer/checksum.h"
#include "tracer/codec.h"
#include "tracer/internal.h"

// A Python frame's code id and offset could read as an address.
#define PYTHON_MARK UINT64_C(0x8000000000000001)

static inline uint64_t frame_word(const struct mt_frame *frame) {
    return frame->python ? frame->address ^ PYTHON_MARK : frame->address;
}

// Two lanes, as the steps of one depend on each other.
static uint64_t stack_key(const struct mt_frame *frames, size_t count, uint64_t epoch) {
    uint64_t even = epoch, odd = ~epoch;
    size_t i = 0;
    for (; i + 1 < count; i += 2) {
        even = mt_step(even, frame_word(&frames[i]));
        odd = mt_step(odd, frame_word(&frames[i + 1]));
    }
    if (i < count) even = mt_step(even, frame_word(&frames[i]));
    return mt_step(mt_step(mt_step(0, count), even), odd);
}

uint64_t mt_stacks_epoch(const struct mt_trace *trace) {
    return atomic_load_explicit(&trace->epoch, memory_order_acquire);
}

static uint64_t stack_key_now(const struct mt_trace *trace, const struct mt_frame *frames, size_t count) {
    return stack_key(frames, count, mt_stacks_epoch(trace));
}

uint32_t mt_find_stack(struct mt_trace *trace, const struct mt_frame *frames, size_t count) {
    if (count == 0 || mt_trace_life(trace) == MT_LIFE_FORKED) return 0;
    return mt_table_find(&trace->stacks, stack_key_now(trace, frames, count));
}

// Every frame but the innermost is a return address, which may stand just behind its function's and module's end.
static uint64_t called_from(const struct mt_frame *frames, size_t index) {
    return frames[index].address - (index == 0 ? 0 : 1);
}

static bool is_known(const struct mt_trace *trace, const struct mt_frame *frames, size_t index) {
    return frames[index].python || mt_module_of(trace, called_from(frames, index)) != 0;
}

// With no lock held. False when a module could not be told: nodes must not come before their modules.
static bool learn_modules(struct mt_trace *trace, const struct mt_frame *frames, size_t count) {
    for (size_t i = 0; i < count; i++) {
        mt_lock_take(&trace->lock);
        while (i < count && is_known(trace, frames, i)) i++;
        mt_lock_drop(&trace->lock);
        if (i < count && !mt_modules_learn(trace, called_from(frames, i))) return false;
    }
    return true;
}

static uint32_t define_node(struct mt_trace *trace, uint32_t parent, const struct mt_frame *frame, uint32_t module) {
    uint64_t key = mt_step(mt_step(mt_step(0, parent), frame_word(frame)), module);
    uint32_t node = mt_table_find(&trace->frames, key);
    if (node != 0) return node;

    uint8_t fields[4 * MT_VARINT_BYTES];
    int error = mt_table_reserve(&trace->frames, &trace->arena);
    if (error != 0) mt_file_lose_definitions(&trace->file, 1, -error);
    if (error != 0 || !mt_definitions_room(trace, MT_DEFINITION_OVERHEAD + sizeof fields)) return 0;
    node = ++trace->nodes;
    uint8_t *end = mt_put_varint(fields, node);
    end = mt_put_varint(end, parent);
    if (frame->python) {
        end = mt_put_varint(end, frame->address >> 32);
        end = mt_put_varint(end, frame->line);
    } else {
        end = mt_put_delta(end, frame->address, trace->frame_address);
        trace->frame_address = frame->address;
    }
    mt_definitions_append(trace, frame->python ? MT_RECORD_PYTHON_FRAME : MT_RECORD_NATIVE_FRAME, fields,
                          (size_t)(end - fields), NULL, 0);
    mt_table_add(&trace->frames, key, node);
    return node;
}

// Whole stacks are a short cut to what the trie knows: with each module that vanishes they are all new, and when there
// are too many they start afresh.
static void remember(struct mt_trace *trace, uint64_t key, uint32_t node) {
    if (mt_table_reserve(&trace->stacks, &trace->arena) != 0) {
        mt_table_clear(&trace->stacks);
        if (mt_table_reserve(&trace->stacks, &trace->arena) != 0) return;
    }
    mt_table_add(&trace->stacks, key, node);
}

// Under `lock`.
static uint32_t intern(struct mt_trace *trace, const struct mt_frame *frames, size_t count) {
    uint64_t key = stack_key_now(trace, frames, count);
    uint32_t node = mt_table_find(&trace->stacks, key);
    if (node != 0) return node;
    for (size_t i = count; i-- > 0;) {
        uint32_t module = frames[i].python ? 0 : mt_module_of(trace, called_from(frames, i));
        node = define_node(trace, node, &frames[i], module);
        if (node == 0) return 0;
    }
    remember(trace, key, node);
    return node;
}

uint32_t mt_define_stack(struct mt_trace *trace, const struct mt_frame *frames, size_t count) {
    struct mt_guard guard;
    uint32_t id = mt_find_stack(trace, frames, count);
    enum mt_life life = mt_trace_life(trace);
    if (id != 0 || count == 0 || life == MT_LIFE_FORKED || life == MT_LIFE_CUT || life == MT_LIFE_FULL) return id;

    mt_guard_enter(&guard);
    if (mt_trace_life(trace) != MT_LIFE_OPEN || learn_modules(trace, frames, count)) {
        mt_lock_take(&trace->lock);
        id = intern(trace, frames, count);
        mt_lock_drop(&trace->lock);
    } else {
        mt_file_lose_definitions(&trace->file, 1, EAGAIN);
    }
    if (id == 0) mt_trace_tell_loss(trace);
    mt_guard_leave(&guard);
    return id;
}
