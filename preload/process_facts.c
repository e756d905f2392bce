/*
 * Gathering the process's facts from /proc and the environment, see process_facts.h. Called once, by the session's
 * start; a fact that can't be read is left out.
 */
#include "preload/process_facts.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/loading.h"
#include "preload/options.h"
#include "tracer/facts.h"
#include "tracer/version.h"

// Longest command line kept.
#define COMMAND_BYTES 16384

static void fact(struct mt_trace *trace, const char *key, const char *value) {
    if (value && *value) mt_define_fact(trace, key, value);
}

static void fact_number(struct mt_trace *trace, const char *key, long value) {
    char text[32];
    snprintf(text, sizeof text, "%ld", value);
    mt_define_fact(trace, key, text);
}

// Reads a small file; the text is terminated. Bytes read, or 0.
static size_t read_file(const char *path, char *text, size_t text_bytes) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    ssize_t got;
    if (file < 0) return 0;
    while (length < text_bytes - 1 && (got = read(file, text + length, text_bytes - 1 - length)) > 0) {
        length += (size_t)got;
    }
    close(file);
    text[length] = 0;
    return length;
}

// Joins the zero-terminated arguments in `raw` by spaces, quoting those that a shell would take apart.
static void join_arguments(const char *raw, size_t raw_length, char *joined, size_t joined_bytes) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%^";
    size_t length = 0;
    joined[0] = 0;
    for (const char *argument = raw; argument < raw + raw_length; argument += strlen(argument) + 1) {
        size_t bytes = strlen(argument);
        bool quoted = bytes == 0 || strspn(argument, plain) != bytes;
        int wanted = snprintf(joined + length, joined_bytes - length, "%s%s%s%s", length ? " " : "", quoted ? "'" : "",
                              argument, quoted ? "'" : "");
        if (wanted < 0 || length + (size_t)wanted >= joined_bytes) return;
        length += (size_t)wanted;
    }
}

static void write_command(struct mt_trace *trace, bool arguments) {
    char *raw = malloc(COMMAND_BYTES), *joined = malloc(2 * COMMAND_BYTES);
    if (raw && joined) {
        size_t length = read_file("/proc/self/cmdline", raw, COMMAND_BYTES);
        if (!arguments && length > 0) length = strlen(raw) + 1;
        join_arguments(raw, length, joined, 2 * COMMAND_BYTES);
        fact(trace, MT_FACT_COMMAND, joined);
    }
    free(raw);
    free(joined);
}

static void write_executable(struct mt_trace *trace) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = 0;
    fact(trace, MT_FACT_EXECUTABLE, path);
}

static void write_ranks(struct mt_trace *trace) {
    const char *launcher = NULL;
    const char *rank = mt_rank_variable(MT_RANK, &launcher);
    if (!rank) return;
    fact(trace, MT_FACT_RANK, rank);
    fact(trace, MT_FACT_LOCAL_RANK, mt_rank_variable(MT_LOCAL_RANK, NULL));
    fact(trace, MT_FACT_WORLD_SIZE, mt_rank_variable(MT_WORLD_SIZE, NULL));
    fact(trace, MT_FACT_LAUNCHER, launcher);
}

static void write_driver(struct mt_trace *trace) {
    char text[64];
    size_t length = read_file("/sys/module/nvidia/version", text, sizeof text);
    while (length && text[length - 1] == '\n') text[--length] = 0;
    fact(trace, MT_FACT_DRIVER, text);
}

void mt_process_facts_write(struct mt_trace *trace, bool arguments) {
    char host[256] = "";
    write_command(trace, arguments);
    write_executable(trace);
    fact(trace, MT_FACT_DIRECTORY, mt_load_directory());
    if (gethostname(host, sizeof host - 1) == 0) fact(trace, MT_FACT_HOST, host);
    fact(trace, MT_FACT_VERSION, MEMTRACE_VERSION);
    fact_number(trace, MT_FACT_PID, getpid());
    fact_number(trace, MT_FACT_PARENT, getppid());
    fact_number(trace, MT_FACT_USER, (long)geteuid());
    write_ranks(trace);
    fact(trace, MT_FACT_VISIBLE, getenv("CUDA_VISIBLE_DEVICES"));
    write_driver(trace);
}
