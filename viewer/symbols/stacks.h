/*
 * What a call stack means: the user line, the API that was called, and the path of the program's own lines that led
 * there. Each stack is worked out once. Called by the analyses.
 *
 * The *user line* is the innermost frame in the program's own code: a Python file that was not installed, else the main
 * executable's, where it has debugging information, else that of a shared library that was not installed. Where there
 * is none of these, it is the innermost Python frame, the Python interpreter as it ends, or the innermost frame outside
 * the CUDA driver, the runtime and the C library. What is no file – python -c, a script on the standard input – counts
 * only where nothing else is the program's own. --user-code narrows "own" to files or modules that match a pattern.
 * What PyTorch runs for backward() is the line that called backward(), with the name of the autograd node; what XLA
 * tries out while it compiles is the line that had it compile.
 */
#ifndef MEMTRACE_VIEWER_SYMBOLS_STACKS_H
#define MEMTRACE_VIEWER_SYMBOLS_STACKS_H

#include <stdint.h>

#include "viewer/frameworks/ends.h"
#include "viewer/symbols/symbols.h"
#include "viewer/trace/definitions.h"

struct mt_site {
    const struct mt_place *user;   // the user line
    const struct mt_place *origin; // innermost frame outside driver, runtime and C library: who asked
    const char *runtime_api;       // the runtime's function the program called, "cudaMalloc"; NULL: none
    const char *node;              // the autograd node that ran, "MmBackward0"; NULL: none, or not known
    uint32_t path;                 // the user lines from the outermost to the user line: a node of the path tree
};

// A node of the tree of user lines. Node 0 is the root, above all outermost lines.
struct mt_path {
    uint32_t parent;
    uint32_t depth; // 0: the root
    const struct mt_place *place;
};

struct mt_stacks;

// user_code: a pattern as of fnmatch, or NULL. Definitions, symbols and endings, filled before the first site is asked
// for, must outlive it.
struct mt_stacks *mt_stacks_new(const struct mt_definitions *definitions, struct mt_symbols *symbols,
                                const struct mt_ends *endings, const char *user_code);
void mt_stacks_free(struct mt_stacks *stacks);

// Whether some frame of the trace is what --user-code, which must be given, says.
bool mt_stacks_has_user_code(const struct mt_stacks *stacks);

const struct mt_site *mt_stacks_site(struct mt_stacks *stacks, uint32_t stack);
struct mt_path mt_stacks_path(const struct mt_stacks *stacks, uint32_t path);
uint32_t mt_stacks_path_limit(const struct mt_stacks *stacks); // every path's number is below it

// The name to show for a call: the runtime's function, else the driver's entry point without its version suffix.
// Interned by the stacks.
const char *mt_stacks_api(struct mt_stacks *stacks, uint32_t stack, uint32_t api);

#endif
