/*
 * The layout table: what python/layout.h declares, for CPython 3.9 to 3.14 on 64-bit machines.
 *
 * The numbers of 3.9 to 3.12 were printed by a small program compiled with Py_BUILD_CORE against the headers of 3.9.18,
 * 3.10.13, 3.11.7 and 3.12.1: offsetof() of PyThreadState, PyFrameObject or _PyInterpreterFrame, PyCodeObject,
 * PyASCIIObject. 3.13 and 3.14 are read from the running interpreter. Called by python/probe.c.
 */
#include "preload/python/layout.h"

#include <errno.h>
#include <string.h>

// PyBytesObject has kept this shape in all of them.
#define BYTES_OBJECT                                                                                                   \
    { .size = 16, .data = 32 }
// Before 3.12, strings carried a wchar_t cache.
#define TEXT_WITH_WSTR                                                                                                 \
    { .length = 16, .state = 32, .ascii_bytes = 48, .compact_bytes = 72, .kind_shift = 2 }

static const struct mt_python_layout layout_3_9 = {
    .entry = MT_PYTHON_ENTRY_ALWAYS,
    .lines = MT_PYTHON_LINES_LNOTAB,
    .thread = {.frame = 24},
    .frame = {.previous = 24, .code = 32, .instruction = 104, .bytes = 112, .instruction_unit = 1},
    .code = {.filename = 104, .name = 112, .first_line = 40, .line_table = 120, .bytes = 128},
    .text = TEXT_WITH_WSTR,
    .bytes = BYTES_OBJECT,
};

static const struct mt_python_layout layout_3_10 = {
    .entry = MT_PYTHON_ENTRY_ALWAYS,
    .lines = MT_PYTHON_LINES_PEP626,
    .thread = {.frame = 24},
    .frame = {.previous = 24, .code = 32, .instruction = 96, .bytes = 104, .instruction_unit = 2},
    .code = {.filename = 104, .name = 112, .first_line = 40, .line_table = 120, .bytes = 128},
    .text = TEXT_WITH_WSTR,
    .bytes = BYTES_OBJECT,
};

static const struct mt_python_layout layout_3_11 = {
    .entry = MT_PYTHON_ENTRY_FLAG,
    .lines = MT_PYTHON_LINES_PEP657,
    .thread = {.through_cframe = true, .frame = 56, .cframe_frame = 8},
    .frame = {.previous = 48, .code = 32, .instruction = 56, .entry = 68, .bytes = 72},
    .code = {.filename = 112, .name = 120, .first_line = 72, .line_table = 136, .bytecode = 184, .bytes = 144},
    .text = TEXT_WITH_WSTR,
    .bytes = BYTES_OBJECT,
};

static const struct mt_python_layout layout_3_12 = {
    .entry = MT_PYTHON_ENTRY_SHIM,
    .lines = MT_PYTHON_LINES_PEP657,
    .thread = {.through_cframe = true, .frame = 56, .cframe_frame = 0},
    .frame = {.previous = 8, .code = 0, .instruction = 56, .entry = 70, .bytes = 72, .shim_owner = 3},
    .code = {.filename = 112,
             .name = 120,
             .first_line = 68,
             .line_table = 136,
             .bytecode = 192,
             .version = 92,
             .bytes = 144},
    .text = {.length = 16, .state = 32, .ascii_bytes = 40, .compact_bytes = 56, .kind_shift = 2},
    .bytes = BYTES_OBJECT,
};

// _Py_DebugOffsets is a cookie followed by uint64_t members. Their positions, counted in words from the cookie, as
// pycore_runtime.h of 3.13 and pycore_debug_offsets.h of 3.14 order them.
struct debug_words {
    uint8_t thread_frame;
    uint8_t frame_previous, frame_code, frame_instruction, frame_owner;
    uint8_t code_filename, code_name, code_line_table, code_first_line, code_bytecode;
    uint8_t bytes_size, bytes_data;
    uint8_t text_state, text_length, text_ascii_bytes;
};

static const struct debug_words words_3_13 = {
    .thread_frame = 23,
    .frame_previous = 29,
    .frame_code = 30,
    .frame_instruction = 31,
    .frame_owner = 33,
    .code_filename = 35,
    .code_name = 36,
    .code_line_table = 38,
    .code_first_line = 39,
    .code_bytecode = 43,
    .bytes_size = 65,
    .bytes_data = 66,
    .text_state = 68,
    .text_length = 69,
    .text_ascii_bytes = 70,
};

static const struct debug_words words_3_14 = {
    .thread_frame = 26,
    .frame_previous = 32,
    .frame_code = 33,
    .frame_instruction = 34,
    .frame_owner = 36,
    .code_filename = 40,
    .code_name = 41,
    .code_line_table = 43,
    .code_first_line = 44,
    .code_bytecode = 48,
    .bytes_size = 75,
    .bytes_data = 76,
    .text_state = 78,
    .text_length = 79,
    .text_ascii_bytes = 80,
};

enum { WORD_COOKIE, WORD_VERSION, WORD_FREE_THREADED };

// An offset that a structure of CPython can have; anything else means that we misread the description.
static uint16_t plausible(uint64_t offset, bool *ok) {
    if (offset >= 4096) *ok = false;
    return (uint16_t)offset;
}

static bool layout_from_words(const uint64_t *word, const struct debug_words *at, struct mt_python_layout *out) {
    bool ok = true;
    *out = (struct mt_python_layout){.entry = MT_PYTHON_ENTRY_SHIM, .lines = MT_PYTHON_LINES_PEP657};
    out->thread.frame = plausible(word[at->thread_frame], &ok);
    out->frame.previous = plausible(word[at->frame_previous], &ok);
    out->frame.code = plausible(word[at->frame_code], &ok);
    out->frame.instruction = plausible(word[at->frame_instruction], &ok);
    out->frame.entry = plausible(word[at->frame_owner], &ok);
    out->frame.bytes = (uint16_t)(out->frame.entry + 1);
    out->frame.shim_owner = 3;
    out->code.filename = plausible(word[at->code_filename], &ok);
    out->code.name = plausible(word[at->code_name], &ok);
    out->code.line_table = plausible(word[at->code_line_table], &ok);
    out->code.first_line = plausible(word[at->code_first_line], &ok);
    out->code.bytecode = plausible(word[at->code_bytecode], &ok);
    out->code.bytes = (uint16_t)(out->code.line_table + 8);
    out->code.version = (uint16_t)(out->code.first_line + 24); // co_version, six members on
    out->bytes.size = plausible(word[at->bytes_size], &ok);
    out->bytes.data = plausible(word[at->bytes_data], &ok);
    out->text.state = plausible(word[at->text_state], &ok);
    out->text.length = plausible(word[at->text_length], &ok);
    out->text.ascii_bytes = plausible(word[at->text_ascii_bytes], &ok);
    // PyCompactUnicodeObject adds the length and the pointer of a UTF-8 copy.
    out->text.compact_bytes = (uint16_t)(out->text.ascii_bytes + 16);
    return ok;
}

static int layout_from_runtime(int minor, const uint64_t *word, struct mt_python_layout *out, const char **why) {
    if (!word || memcmp(&word[WORD_COOKIE], "xdebugpy", 8) != 0) {
        *why = "no debug offsets in _PyRuntime";
        return -ENOTSUP;
    }
    if (word[WORD_VERSION] >> 16 != (0x0300u | (unsigned)minor)) {
        *why = "debug offsets of another version in _PyRuntime";
        return -ENOTSUP;
    }
    if (word[WORD_FREE_THREADED]) {
        *why = "free-threaded build";
        return -ENOTSUP;
    }
    if (!layout_from_words(word, minor == 13 ? &words_3_13 : &words_3_14, out)) {
        *why = "implausible debug offsets in _PyRuntime";
        return -ENOTSUP;
    }
    // 3.14 widened `interned` from 2 bits to 16.
    out->text.kind_shift = minor == 13 ? 2 : 16;
    return 0;
}

int mt_python_layout(int minor, const void *runtime, struct mt_python_layout *out, const char **why) {
    switch (minor) {
    case 9:
        *out = layout_3_9;
        return 0;
    case 10:
        *out = layout_3_10;
        return 0;
    case 11:
        *out = layout_3_11;
        return 0;
    case 12:
        *out = layout_3_12;
        return 0;
    case 13:
    case 14:
        return layout_from_runtime(minor, runtime, out, why);
    default:
        *why = "unknown version";
        return -ENOTSUP;
    }
}
