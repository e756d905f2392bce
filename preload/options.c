/*
 * Reading and checking MEMTRACE_*, see options.h. Called once, when the session starts.
 */
#include "preload/options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "preload/message.h"
#include "preload/option_names.h"
#include "preload/unwind.h"
#include "tracer/trace.h"

#define STACK_DEPTH_DEFAULT 128u

static const struct {
    const char *launcher;
    const char *variables[3]; // by enum mt_rank_value
} launchers[] = {
    {"torchrun", {"RANK", "LOCAL_RANK", "WORLD_SIZE"}},
    {"slurm", {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS"}},
    {"openmpi", {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"}},
};

const char *mt_rank_variable(enum mt_rank_value what, const char **launcher) {
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const char *rank = getenv(launchers[i].variables[MT_RANK]);
        if (!rank || !*rank) continue;
        if (launcher) *launcher = launchers[i].launcher;
        return getenv(launchers[i].variables[what]);
    }
    return NULL;
}

// Appends `text` to the string of `*length` bytes in `path`. 0 or -ENAMETOOLONG.
static int append(char *path, size_t path_bytes, size_t *length, const char *text, size_t text_length) {
    if (*length + text_length >= path_bytes) return -ENAMETOOLONG;
    memcpy(path + *length, text, text_length);
    *length += text_length;
    path[*length] = 0;
    return 0;
}

// What stands for %`letter`, in `buffer` or static; NULL when the letter means nothing.
static const char *expansion(char letter, char *buffer, size_t buffer_bytes) {
    const char *rank;
    switch (letter) {
    case 'p':
        snprintf(buffer, buffer_bytes, "%ld", (long)getpid());
        return buffer;
    case 'r':
        rank = mt_rank_variable(MT_RANK, NULL);
        if (!rank) return expansion('p', buffer, buffer_bytes);
        snprintf(buffer, buffer_bytes, "%s", rank);
        break;
    case 'h':
        if (gethostname(buffer, buffer_bytes) != 0) return "localhost";
        buffer[buffer_bytes - 1] = 0;
        break;
    case '%':
        return "%";
    default:
        return NULL;
    }
    for (char *c = buffer; *c; c++) {
        if (*c == '/') *c = '_'; // a rank or host must not choose the folder
    }
    return buffer;
}

int mt_options_expand(const char *pattern, const char *directory, char *path, size_t path_bytes) {
    char buffer[256];
    size_t length = 0;
    int status = 0;
    if (path_bytes == 0) return -ENAMETOOLONG;
    path[0] = 0;
    if (pattern[0] != '/') {
        status = append(path, path_bytes, &length, directory, strlen(directory));
        if (status == 0) status = append(path, path_bytes, &length, "/", 1);
    }
    for (const char *c = pattern; *c && status == 0; c++) {
        const char *text = *c == '%' ? expansion(c[1], buffer, sizeof buffer) : NULL;
        if (text) {
            status = append(path, path_bytes, &length, text, strlen(text));
            c++;
        } else {
            status = append(path, path_bytes, &length, c, 1);
        }
    }
    return status;
}

static enum mt_feed read_feed(const char *text) {
    static const char *const names[] = {"auto", "cupti", "hooks", "both"};
    if (!text || !*text) return MT_FEED_AUTO;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0) return (enum mt_feed)i;
    }
    mt_message("MEMTRACE_FEED=%.40s is none of auto, cupti, hooks, both; using auto", text);
    return MT_FEED_AUTO;
}

static unsigned read_stack_depth(const char *text) {
    if (!text || !*text) return STACK_DEPTH_DEFAULT;
    if (strcmp(text, "off") == 0 || strcmp(text, "0") == 0) return 0;
    char *end;
    errno = 0;
    long depth = strtol(text, &end, 10);
    if (errno || *end || depth < 1 || depth > (long)MT_STACK_DEPTH_MAX) {
        mt_message("MEMTRACE_STACKS=%.40s is neither off nor a depth from 1 to %u; using %u", text, MT_STACK_DEPTH_MAX,
                   STACK_DEPTH_DEFAULT);
        return STACK_DEPTH_DEFAULT;
    }
    return (unsigned)depth;
}

static bool read_switch(const char *name, bool otherwise) {
    const char *text = getenv(name);
    if (!text || !*text) return otherwise;
    if (strcmp(text, "0") == 0 || strcmp(text, "off") == 0) return false;
    if (strcmp(text, "1") == 0 || strcmp(text, "on") == 0) return true;
    mt_message("%s=%.40s is neither 0 nor 1; using %d", name, text, otherwise);
    return otherwise;
}

// The shift that a unit stands for: "", K, M, G or T, perhaps followed by B or iB. -1 for anything else.
static int unit_shift(const char *unit) {
    static const char letters[] = "KMGT";
    if (*unit == '\0') return 0;
    const char *letter = strchr(letters, toupper((unsigned char)*unit));
    if (!letter || (unit[1] && strcasecmp(unit + 1, "B") != 0 && strcasecmp(unit + 1, "iB") != 0)) return -1;
    return 10 * (int)(letter - letters + 1);
}

static uint64_t read_max_size(const char *text) {
    char *unit;
    if (!text || !*text) return MT_MAX_BY_ROOM;
    if (strcmp(text, "off") == 0) return 0;
    errno = 0;
    unsigned long long number = strtoull(text, &unit, 10);
    int shift = unit_shift(unit);
    if (errno == 0 && isdigit((unsigned char)*text) && shift >= 0 && number <= UINT64_MAX >> 1 >> shift)
        return number << shift;
    mt_message("MEMTRACE_MAX_SIZE=%.40s is no size, as 500M or 2G, nor off; using half of the free space", text);
    return MT_MAX_BY_ROOM;
}

static void check_pattern(const char *pattern) {
    for (const char *c = strchr(pattern, '%'); c; c = strchr(c, '%')) {
        if (!strchr("prh%", c[1]) || c[1] == '\0') {
            mt_message("MEMTRACE_OUT=%.200s: %%%.1s stands for nothing (%%p, %%r, %%h and %%%% do), and stays as it is",
                       pattern, c + 1);
            return;
        }
        c += 2;
    }
}

int mt_options_read(struct mt_options *options, const char *directory) {
    const char *pattern = getenv("MEMTRACE_OUT");
    mt_message_learn();
    mt_option_names_check();
    if (pattern) check_pattern(pattern);
    options->arguments = read_switch("MEMTRACE_ARGUMENTS", true);
    options->max_bytes = read_max_size(getenv("MEMTRACE_MAX_SIZE"));
    options->feed = read_feed(getenv("MEMTRACE_FEED"));
    options->launch_stacks = read_switch("MEMTRACE_LAUNCH_STACKS", false);
    options->stack_depth = read_stack_depth(getenv("MEMTRACE_STACKS"));
    return mt_options_expand(pattern && *pattern ? pattern : "trace.bin", directory, options->path,
                             sizeof options->path);
}
