/*
 * Bounded messages, see message.h. Formats on the stack and writes with one write(2): no stdio, whose locks and buffers
 * are the program's, and no malloc.
 */
#include "preload/message.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer/guard.h"

// Lines a process may print at most, besides those about losses.
#define MESSAGE_LIMIT 8
// Of a line. The stack may be that of a small thread.
#define MESSAGE_BYTES 768

static bool quiet; // written by mt_message_learn, constant afterwards

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

// The environment is read once: later, another thread may be changing it.
void mt_message_learn(void) {
    const char *text = getenv("MEMTRACE_QUIET");
    quiet = text && *text && strcmp(text, "0") != 0;
}

static void print(const char *format, va_list arguments) {
    int saved_errno = errno;
    char line[MESSAGE_BYTES] = "memtrace: ";
    size_t start = strlen(line);
    int wanted = quiet ? -1 : vsnprintf(line + start, sizeof line - start - 1, format, arguments);
    if (wanted >= 0) {
        size_t length = strlen(line);
        line[length++] = '\n';
        write_line(line, length);
    }
    errno = saved_errno;
}

void mt_message(const char *format, ...) {
    static atomic_int printed;
    va_list arguments;
    if (atomic_fetch_add(&printed, 1) >= MESSAGE_LIMIT) return;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
}

void mt_message_once(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
}
