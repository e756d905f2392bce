/*
 * Where CPython keeps what a call stack needs, by version. Offsets are in bytes from the start of each structure.
 *
 * None of these structures is public; they are stable within a minor version. 3.13 and later describe themselves
 * (_Py_DebugOffsets at the start of _PyRuntime), older ones come from a table. Used by the python_*.c files only.
 */
#ifndef MEMTRACE_PRELOAD_PYTHON_LAYOUT_H
#define MEMTRACE_PRELOAD_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How a frame tells that one run of the C interpreter loop ends with it.
enum mt_python_entry {
    MT_PYTHON_ENTRY_ALWAYS, // 3.9, 3.10: every Python frame has a C frame of its own
    MT_PYTHON_ENTRY_FLAG,   // 3.11: frame.is_entry
    MT_PYTHON_ENTRY_SHIM,   // 3.12 and later: a frame without code, owned by the C stack, follows
};

// How code.co_lnotab or code.co_linetable encodes lines.
enum mt_python_lines {
    MT_PYTHON_LINES_LNOTAB, // 3.9
    MT_PYTHON_LINES_PEP626, // 3.10
    MT_PYTHON_LINES_PEP657, // 3.11 and later
};

struct mt_python_layout {
    enum mt_python_entry entry;
    enum mt_python_lines lines;

    struct {
        bool through_cframe; // 3.11, 3.12: the thread state points to a _PyCFrame, that to the frame
        uint16_t frame;      // PyThreadState: frame, current_frame or cframe
        uint16_t cframe_frame;
    } thread;

    struct {
        uint16_t previous;
        uint16_t code;
        uint16_t instruction; // a pointer into the bytecode, or a count (instruction_unit)
        uint16_t entry;       // MT_PYTHON_ENTRY_FLAG: is_entry; MT_PYTHON_ENTRY_SHIM: owner
        uint16_t bytes;       // how much of a frame is read
        // 0: instruction is a pointer; else an int32 counting so many bytes each (3.9: 1, 3.10: 2)
        uint16_t instruction_unit;
        // The smallest owner that marks a shim. 3.12 and 3.13: FRAME_OWNED_BY_CSTACK = 3; 3.14 adds one above it.
        uint16_t shim_owner;
    } frame;

    struct {
        uint16_t filename;
        uint16_t name;
        uint16_t first_line; // int32
        uint16_t line_table; // a bytes object
        uint16_t bytecode;   // 3.11 and later: where the instructions start
        uint16_t version;    // 3.12 and later: a uint32 that no other code object has, unless 0. 0: no such member
        uint16_t bytes;      // how much of a code object is read, its bytecode aside
    } code;

    struct {
        uint16_t length;
        uint16_t state;         // the bit field; its layout changed in 3.14
        uint16_t ascii_bytes;   // sizeof(PyASCIIObject): compact ASCII text follows it
        uint16_t compact_bytes; // sizeof(PyCompactUnicodeObject): other compact text follows it
        uint16_t kind_shift;    // state: kind (3 bits), then compact, then ascii
    } text;

    struct {
        uint16_t size;
        uint16_t data;
    } bytes;
};

// The layout of CPython 3.`minor`. `runtime` is the address of _PyRuntime, read from 3.13 on (it may be NULL before).
// 0, or -ENOTSUP with *why naming the reason (a static string).
int mt_python_layout(int minor, const void *runtime, struct mt_python_layout *out, const char **why);

#endif
