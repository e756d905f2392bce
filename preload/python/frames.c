/*
 * Walks the Python frames of the calling thread and merges them into its native stack. See python/frames.h.
 *
 * One native frame of the interpreter loop runs one Python frame (3.9, 3.10) or a run of them (3.11 and later). The
 * walk therefore yields, beside frames, *ends*: the next Python frame belongs to the next native frame of the loop. A
 * run can be empty, while a frame that has just returned is being cleared.
 */
#include "preload/python/frames.h"

#include <stdatomic.h>
#include <stdio.h>

#include "preload/python/code.h"
#include "preload/python/deaths.h"
#include "preload/python/known.h"
#include "preload/python/probe.h"
#include "preload/python/read.h"
#include "preload/unwind.h"
#include "tracer/facts.h"

enum {
    MAX_FRAMES = 256, // Python frames and ends kept of one stack, the innermost
    MAX_STEPS = 1024, // frames looked at; bounds a corrupt, circular chain
    OBJECT_TYPE = 8,  // offsetof(PyObject, ob_type)
    REFERENCE_TAG = 3 // low bits of a _PyStackRef (3.14), 0 in a plain pointer
};

struct python_frame {
    const void *code; // NULL: an end
    uint64_t address; // mt_frame.address
};

static struct mt_trace *trace;
static struct mt_python python;
static _Atomic(bool) readable;    // `python` is complete and constant
static _Atomic(bool) searching;   // one thread at a time
static _Atomic(bool) settled;     // found, or given up
static _Atomic(bool) said_paused; // the fact about sub-interpreters is written

void mt_python_look(void) {
    const char *why = NULL;
    if (atomic_load_explicit(&settled, memory_order_acquire)) return;
    if (atomic_exchange_explicit(&searching, true, memory_order_acquire)) return;
    if (!atomic_load_explicit(&settled, memory_order_relaxed)) {
        enum mt_python_presence presence = mt_python_probe(&python, &why);
        if (presence == MT_PYTHON_READABLE) {
            mt_define_fact(trace, MT_FACT_PYTHON, python.version);
            if (!python.layout.code.version) mt_python_watch_deaths(python.code_type);
            atomic_store_explicit(&readable, true, memory_order_release);
        } else if (presence == MT_PYTHON_DECLINED) {
            char text[128];
            snprintf(text, sizeof text, "CPython %s: %s", python.version, why);
            mt_define_fact(trace, MT_FACT_PYTHON_DECLINED, text);
        }
        if (presence != MT_PYTHON_ABSENT) atomic_store_explicit(&settled, true, memory_order_release);
    }
    atomic_store_explicit(&searching, false, memory_order_release);
}

void mt_python_start(struct mt_trace *session_trace) {
    trace = session_trace;
    mt_python_look();
    mt_unwind_set_rewriter(mt_python_rewrite, mt_python_lines, mt_python_cut);
}

// The thread's innermost frame, or NULL: no thread of Python's, or a state in which nothing can be trusted.
static const void *innermost_frame(void) {
    if (!atomic_load_explicit(&readable, memory_order_acquire) || !python.is_initialized()) return NULL;
    const struct mt_python_layout *layout = &python.layout;
    const void *state = python.thread_state();
    if (!mt_python_aligned(state) || !mt_python_readable(state, (size_t)layout->thread.frame + 8)) return NULL;
    // With sub-interpreters, the state that belongs to this thread need not be the one that runs.
    if (python.interpreter_head() != python.interpreter_main()) {
        if (!atomic_exchange_explicit(&said_paused, true, memory_order_relaxed)) {
            mt_define_fact(trace, MT_FACT_PYTHON_DECLINED, "while there were sub-interpreters");
        }
        return NULL;
    }
    const void *frame = mt_python_pointer(state, layout->thread.frame);
    if (!layout->thread.through_cframe) return frame;
    if (!mt_python_aligned(frame) || !mt_python_readable(frame, (size_t)layout->thread.cframe_frame + 8)) return NULL;
    return mt_python_pointer(frame, layout->thread.cframe_frame);
}

// Where the frame stands in its bytecode, in bytes.
static uint32_t instruction_offset(const void *frame, const void *code) {
    const struct mt_python_layout *layout = &python.layout;
    int64_t offset;
    if (layout->frame.instruction_unit) {
        offset = (int64_t)mt_python_int(frame, layout->frame.instruction) * layout->frame.instruction_unit;
    } else {
        const char *at = mt_python_pointer(frame, layout->frame.instruction);
        offset = at - ((const char *)code + layout->code.bytecode);
    }
    // Before its first instruction, a frame stands one short of it.
    return offset < 0 || offset > INT32_MAX ? 0 : (uint32_t)offset;
}

static bool is_code(const void *object) {
    return mt_python_aligned(object) && mt_python_readable(object, python.layout.code.bytes) &&
           mt_python_pointer(object, OBJECT_TYPE) == python.code_type;
}

static uint32_t define_code(const void *code, uint64_t key) {
    char name[512], file[4096];
    uint32_t id = mt_find_code(trace, key);
    if (id) return id;
    if (!mt_python_text(&python.layout, mt_python_pointer(code, python.layout.code.name), name, sizeof name) ||
        !mt_python_text(&python.layout, mt_python_pointer(code, python.layout.code.filename), file, sizeof file)) {
        return 0;
    }
    return mt_define_code(trace, key, name, file, (uint32_t)mt_python_int(code, python.layout.code.first_line));
}

// Differs, for a code object that is readable, from what it was for any other that was at its address before. 0: it may
// not.
static uint64_t stamp_of(const void *code) {
    if (!python.layout.code.version) return mt_python_deaths();
    return (uint32_t)mt_python_int(code, python.layout.code.version);
}

// The id of a code object that a frame runs, 0 if it is none.
static uint32_t code_id(struct mt_python_known *known, const void *code) {
    if (known->code == code && known->stamp && known->stamp == stamp_of(code)) return known->id;
    known->code = NULL;
    if (!is_code(code)) return 0;
    known->stamp = stamp_of(code);
    known->id = define_code(code, mt_python_code_key(&python.layout, code));
    if (known->id) known->code = code;
    return known->id;
}

static bool is_frame(struct mt_python_known *known, const void *frame) {
    if (!mt_python_aligned(frame)) return false;
    if (known->frame == frame) return true;
    if (!mt_python_readable(frame, python.layout.frame.bytes)) return false;
    known->frame = frame;
    known->code = NULL;
    return true;
}

static size_t walk(struct python_frame *out) {
    const struct mt_python_layout *layout = &python.layout;
    const void *frame = innermost_frame();
    size_t count = 0;
    for (int step = 0; frame && step < MAX_STEPS && count < MAX_FRAMES; step++) {
        struct mt_python_known nothing, *known = mt_python_known(frame);
        if (!known) (known = &nothing)->frame = NULL;
        if (!is_frame(known, frame)) break;
        bool end = layout->entry == MT_PYTHON_ENTRY_ALWAYS;
        uint8_t entry = *((const uint8_t *)frame + layout->frame.entry);
        if (layout->entry == MT_PYTHON_ENTRY_SHIM && entry >= layout->frame.shim_owner) {
            out[count++].code = NULL;
        } else {
            uintptr_t reference = (uintptr_t)mt_python_pointer(frame, layout->frame.code);
            const void *code = (const void *)(reference & ~(uintptr_t)REFERENCE_TAG);
            uint32_t id = code_id(known, code);
            if (!id) break;
            out[count].code = code;
            out[count++].address = (uint64_t)id << 32 | instruction_offset(frame, code);
            if (layout->entry == MT_PYTHON_ENTRY_FLAG && entry) end = true;
            if (end && count < MAX_FRAMES) out[count++].code = NULL;
        }
        frame = mt_python_pointer(frame, layout->frame.previous);
    }
    return count;
}

struct merge {
    struct mt_frame *out;
    size_t count;
    size_t capacity;
    const struct python_frame *next;
    const struct python_frame *last;
};

// Moves one run of Python frames to the output, or all that are left.
static void put_python(struct merge *merge, bool all) {
    while (merge->next < merge->last) {
        const struct python_frame *frame = merge->next++;
        if (!frame->code) {
            if (all) continue;
            return;
        }
        if (merge->count < merge->capacity) {
            merge->out[merge->count++] = (struct mt_frame){.address = frame->address, .python = true};
        }
    }
}

size_t mt_python_rewrite(struct mt_frame *frames, size_t count, size_t capacity) {
    struct python_frame walked[MAX_FRAMES];
    struct mt_frame native[MAX_FRAMES];
    uint8_t part[MAX_FRAMES]; // enum mt_python_part
    size_t walked_count = walk(walked);
    if (walked_count == 0) return count;
    if (count > MAX_FRAMES) count = MAX_FRAMES;

    size_t outermost = count; // of the interpreter's frames
    for (size_t i = 0; i < count; i++) {
        native[i] = frames[i];
        part[i] = (uint8_t)mt_python_part(&python, native[i].address);
        if (part[i] != MT_PYTHON_OUTSIDE) outermost = i;
    }
    struct merge merge = {.out = frames, .capacity = capacity, .next = walked, .last = walked + walked_count};
    for (size_t i = 0; i < count; i++) {
        if (part[i] == MT_PYTHON_LOOP) {
            put_python(&merge, false);
        } else if (part[i] == MT_PYTHON_OUTSIDE && merge.count < capacity) {
            frames[merge.count++] = native[i];
        }
        // Frames whose native counterpart was not seen (a stack cut off, an unknown piece of the loop) are kept.
        if (i == outermost) put_python(&merge, true);
    }
    put_python(&merge, true);
    return merge.count;
}

size_t mt_python_cut(const struct mt_frame *frames, size_t count) {
    if (!innermost_frame()) return 0;
    for (size_t i = 0; i < count; i++) {
        if (mt_python_part(&python, frames[i].address) == MT_PYTHON_LOOP) return i + 1;
    }
    return 0;
}

void mt_python_lines(struct mt_frame *frames, size_t count) {
    struct python_frame walked[MAX_FRAMES];
    size_t walked_count = walk(walked), at = 0;
    for (size_t i = 0; i < count; i++) {
        if (!frames[i].python) continue;
        while (at < walked_count && (!walked[at].code || walked[at].address != frames[i].address)) at++;
        if (at == walked_count) return;
        frames[i].line = mt_python_code_line(&python.layout, walked[at].code, (uint32_t)walked[at].address);
        at++;
    }
}
