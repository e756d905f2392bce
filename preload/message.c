/*
 * Bounded messages, see message.h. Formats on the stack and writes with one write(2): no stdio, whose locks and buffers
 * are the program's, and no malloc.
 */
#include "preload/message.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer/guard.h"

// Lines a process may print at most.
#define MESSAGE_LIMIT 8

// Nothing can be done about a closed or full stderr, and nobody could be told; but the program must not die of it, nor
// be stopped because it runs in the background.
static void write_line(const char *line, size_t length) {
    struct mt_guard guard;
    mt_guard_enter(&guard);
    if (write(STDERR_FILENO, line, length) < 0) {
        if (errno == EPIPE) mt_guard_drop(SIGPIPE);
        if (errno == EFBIG) mt_guard_drop(SIGXFSZ);
    }
    mt_guard_leave(&guard);
}

void mt_message(const char *format, ...) {
    static atomic_int printed;
    int saved_errno = errno;
    const char *quiet = getenv("MEMTRACE_QUIET");
    if (quiet && *quiet && strcmp(quiet, "0") != 0) return;
    if (atomic_fetch_add(&printed, 1) >= MESSAGE_LIMIT) return;

    char line[512] = "memtrace: ";
    size_t start = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(line + start, sizeof line - start - 1, format, arguments);
    va_end(arguments);
    if (wanted >= 0) {
        size_t length = strlen(line);
        line[length++] = '\n';
        write_line(line, length);
    }
    errno = saved_errno;
}
