/*
 * One ELF file's debugging information, read offline by libdw: address → functions, files and lines, inlined calls
 * included. Everything in the file may be missing or wrong; then there is less to say, never a failure: without a line
 * table the symbol table still names functions. Called by symbols.c.
 */
#ifndef MEMTRACE_VIEWER_SYMBOLS_DEBUGINFO_H
#define MEMTRACE_VIEWER_SYMBOLS_DEBUGINFO_H

#include <stddef.h>
#include <stdint.h>

struct mt_debuginfo;

enum mt_debuginfo_status {
    MT_DEBUGINFO_OK,
    MT_DEBUGINFO_MISSING,  // no such file, or not an ELF file
    MT_DEBUGINFO_REPLACED, // its build-id is not the expected one: the program was rebuilt since
};

// Has debugging information that is set apart from its file looked for below a folder as well, as below / .
void mt_debuginfo_search(const char *folder);

// Takes the descriptor of the open file over. build_id_bytes 0: the file had none when it was traced.
enum mt_debuginfo_status mt_debuginfo_open(const char *path, int file, const uint8_t *build_id, size_t build_id_bytes,
                                           struct mt_debuginfo **out);
void mt_debuginfo_close(struct mt_debuginfo *info);

// One function that an address belongs to. Text lives as long as the debuginfo and is mangled as the file has it.
struct mt_debuginfo_frame {
    const char *function; // NULL: unknown
    const char *file;     // NULL: unknown
    uint32_t line;
    const char *directory; // where a relative file name starts: the compiler's working directory. NULL: unknown
};

// The functions at an ELF address, innermost inlined one first; 0 when nothing is known.
size_t mt_debuginfo_find(struct mt_debuginfo *info, uint64_t elf_address, struct mt_debuginfo_frame *frames,
                         size_t room);

#endif
