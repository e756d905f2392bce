/*
 * libmemtrace.so run as a program, as people do with a library that they wonder about: it names itself and its use. The
 * section .interp makes the kernel start the dynamic loader, as for any program; rules.mk names the entry point. The C
 * library has not been started as in a program's main, so only system calls are made. Nothing of this is reached where
 * the library is preloaded or opened.
 */
#include <string.h>
#include <unistd.h>

#include "tracer/version.h"

#if defined(__x86_64__)
#define LOADER "/lib64/ld-linux-x86-64.so.2"
// Programs begin with a stack that is aligned otherwise than a function's.
#define ENTRY __attribute__((force_align_arg_pointer))
#elif defined(__aarch64__)
#define LOADER "/lib/ld-linux-aarch64.so.1"
#define ENTRY
#endif

#ifdef LOADER
static const char loader[] __attribute__((section(".interp"), used)) = LOADER;
#else
#define ENTRY
#endif

_Noreturn void mt_about(void);

ENTRY _Noreturn void mt_about(void) {
    static const char text[] =
        "memtrace " MEMTRACE_VERSION ": this library records what a program does to GPU memory. Preload it:\n"
        "  LD_PRELOAD=/path/to/libmemtrace.so ./program\n"
        "  memtrace-report trace.bin\n";
    ssize_t written = write(STDOUT_FILENO, text, strlen(text));
    _exit(written == (ssize_t)strlen(text) ? 0 : 1);
}
