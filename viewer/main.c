/*
 * memtrace-report: the command line, and the exit code. 0: all is well; 1: used wrongly; 2: a trace could not be read,
 * or not in full, it lacks something of what happened, or the report could not be written.
 */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "viewer/analysis/by.h"
#include "viewer/analysis/notices.h"
#include "viewer/analysis/report.h"
#include "viewer/base/memory.h"
#include "viewer/model/ledgers.h"
#include "viewer/views/views.h"

enum { EXIT_USED_WRONGLY = 1, EXIT_TROUBLE = 2 };

const char *argp_program_version = "memtrace-report, for traces up to format version 1";

enum option_key {
    KEY_TOP = 256,
    KEY_BY,
    KEY_UNITS,
    KEY_DEVICE,
    KEY_USER_CODE,
    KEY_SYMFS,
    KEY_DEBUGINFOD,
    KEY_VIEWS, // and on: the views, in the order of their table
};

struct arguments {
    struct mt_options options;
    bool *views; // asked for, by their table
    bool any_view;
    bool debuginfod;
    char **files;
    size_t file_count, file_capacity;
};

static uint32_t number(struct argp_state *state, const char *option, const char *text, uint32_t highest) {
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || value > highest)
        argp_error(state, "--%s: '%s' is not a number from 0 to %u", option, text, highest);
    return (uint32_t)value;
}

static const struct mt_by *criterion(struct argp_state *state, const char *name) {
    const struct mt_by *by = mt_by_find(name);
    if (by) return by;
    size_t count;
    const struct mt_by *all = mt_by_all(&count);
    char names[256] = "";
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "", all[i].name);
    }
    argp_error(state, "--by: '%s' is none of %s", name, names);
    return NULL;
}

static enum mt_units units(struct argp_state *state, const char *name) {
    if (strcmp(name, "binary") == 0) return MT_UNITS_BINARY;
    if (strcmp(name, "decimal") != 0) argp_error(state, "--units: '%s' is neither binary nor decimal", name);
    return MT_UNITS_DECIMAL;
}

static const char *folder(struct argp_state *state, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) argp_error(state, "--symfs: %s: %s", path, strerror(errno));
    if (!S_ISDIR(status.st_mode)) argp_error(state, "--symfs: %s is not a folder", path);
    return path;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    size_t view_count;
    mt_views(&view_count);
    switch (key) {
    case KEY_TOP:
        arguments->options.top = number(state, "top", argument, UINT32_MAX);
        return 0;
    case KEY_BY:
        arguments->options.by = criterion(state, argument);
        return 0;
    case KEY_UNITS:
        arguments->options.units = units(state, argument);
        return 0;
    case KEY_DEVICE:
        arguments->options.device = (int)number(state, "device", argument, MT_HIGHEST_DEVICE);
        return 0;
    case KEY_USER_CODE:
        arguments->options.user_code = argument;
        return 0;
    case KEY_SYMFS:
        arguments->options.symfs = folder(state, argument);
        return 0;
    case KEY_DEBUGINFOD:
        arguments->debuginfod = true;
        return 0;
    case ARGP_KEY_ARG:
        mt_grow(&arguments->files, &arguments->file_capacity, arguments->file_count + 1);
        arguments->files[arguments->file_count++] = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no trace file given");
        return 0;
    default:
        break;
    }
    if (key < KEY_VIEWS || (size_t)(key - KEY_VIEWS) >= view_count) return ARGP_ERR_UNKNOWN;
    if (argument) arguments->options.source = argument; // the only view that takes one
    arguments->views[key - KEY_VIEWS] = true;
    arguments->any_view = true;
    return 0;
}

static const struct argp_option settings[] = {
    {0, 0, 0, 0, "What to show in them:", 2},
    {"top", KEY_TOP, "N", 0, "Rows of a table; 0 shows all (default: 20)", 0},
    {"by", KEY_BY, "WHAT", 0,
     "Group tables by line (default), function, module, thread, stream, size or mark; with mark, NVTX ranges are also "
     "the "
     "checkpoints of --lines",
     0},
    {"units", KEY_UNITS, "UNITS", 0, "binary (default): MiB = 2^20 bytes; decimal: MB = 10^6", 0},
    {"device", KEY_DEVICE, "N", 0, "This device only", 0},
    {"user-code", KEY_USER_CODE, "PATTERN", 0,
     "Your code is what lies in files or modules that match this (as the shell matches names)", 0},
    {"symfs", KEY_SYMFS, "FOLDER", 0,
     "Look in this folder first for the program, its libraries and its sources: where the traced machine's files are "
     "on another one. Without it, files are opened for traces that you made on this host",
     0},
    {"debuginfod", KEY_DEBUGINFOD, 0, 0, "Ask the servers of DEBUGINFOD_URLS for debugging information", 0},
    {0, 0, 0, 0, "Other:", -1},
};

// The views' options from their table, then the settings. The caller frees it.
static struct argp_option *make_options(void) {
    size_t view_count;
    const struct mt_view *views = mt_views(&view_count);
    size_t setting_count = sizeof(settings) / sizeof(*settings);
    struct argp_option *options = mt_allocate((view_count + setting_count + 2) * sizeof(*options));
    options[0] = (struct argp_option){.doc = "Views (any number of them):", .group = 1};
    for (size_t i = 0; i < view_count; i++)
        options[i + 1] = (struct argp_option){
            .name = views[i].option,
            .key = KEY_VIEWS + (int)i,
            .arg = views[i].argument,
            .flags = views[i].argument ? OPTION_ARG_OPTIONAL : 0,
            .doc = views[i].help,
        };
    memcpy(options + view_count + 1, settings, sizeof(settings));
    return options;
}

static void show_views(struct mt_report *report, const struct arguments *arguments) {
    size_t view_count;
    const struct mt_view *views = mt_views(&view_count);
    for (size_t i = 0; i < view_count; i++) {
        if (!arguments->views[i]) continue;
        mt_notices(stdout, views[i].is_data ? "# " : "", report);
        views[i].show(report, stdout);
    }
}

static bool has_device(const struct mt_report *report, int device) {
    const struct mt_ledgers *ledgers = mt_model_ledgers(report->end);
    return device == MT_ALL_DEVICES || mt_definitions_device(report->definitions, (uint32_t)device) ||
           (uint32_t)device < ledgers->device_count;
}

// A misspelt pattern would go unnoticed: the report then takes the program itself for the user's code.
static void tell_of_useless_pattern(const struct mt_report *report) {
    const char *pattern = report->options->user_code;
    if (pattern && !mt_stacks_has_user_code(report->stacks))
        fprintf(stderr, "memtrace-report: %s: no file or module of its call stacks matches --user-code '%s'\n",
                report->path, pattern);
}

// Whoever reads offsets instead of names is told why, unless the summary did.
static void tell_of_missing_files(const struct mt_report *report, const struct arguments *arguments) {
    size_t view_count, missing = 0;
    const struct mt_view *views = mt_views(&view_count);
    for (size_t i = 0; i < view_count; i++)
        if (arguments->views[i] && strcmp(views[i].option, "summary") == 0) return;
    while (mt_symbols_note(report->symbols, missing)) missing++;
    if (missing)
        fprintf(stderr, "memtrace-report: %s: %s could not be used to name functions: --summary tells why\n",
                report->path, mt_counted(missing, "file").text);
}

static int show_file(const char *path, const struct arguments *arguments) {
    struct mt_report report;
    char *error = NULL;
    int status = 0;
    if (!mt_report_open(path, &arguments->options, &report, &error)) {
        fprintf(stderr, "memtrace-report: %s\n", error);
        free(error);
        return EXIT_TROUBLE;
    }
    if (!has_device(&report, arguments->options.device)) {
        fprintf(stderr, "memtrace-report: %s: device %d does not occur in this trace\n", path,
                arguments->options.device);
        mt_report_close(&report);
        return EXIT_USED_WRONGLY;
    }
    show_views(&report, arguments);
    tell_of_missing_files(&report, arguments);
    tell_of_useless_pattern(&report);
    if (mt_notices(NULL, "", &report)) status = EXIT_TROUBLE;
    struct mt_damage damage = mt_reader_damage(report.reader);
    if (damage.chunks) {
        fprintf(stderr, "memtrace-report: %s: damaged from offset %llu on; %s in %s could not be read\n", path,
                (unsigned long long)damage.first_offset, mt_bytes(damage.bytes).text,
                mt_counted(damage.chunks, "chunk").text);
        status = EXIT_TROUBLE;
    }
    mt_report_close(&report);
    return status;
}

// What was printed may still sit in a buffer: only now is it known whether it could be written.
static int finish_output(int status) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    if (errno != EPIPE) fprintf(stderr, "memtrace-report: cannot write the report: %s\n", strerror(errno));
    return EXIT_TROUBLE;
}

int main(int argc, char **argv) {
    size_t view_count;
    mt_views(&view_count);
    struct arguments arguments = {
        .options = {.top = 20, .by = mt_by_default(), .device = MT_ALL_DEVICES},
        .views = mt_allocate(view_count * sizeof(bool)),
    };
    struct argp_option *options = make_options();
    struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "TRACE…",
        .doc = "Reports what a program did to GPU memory, from the trace that libmemtrace.so wrote.",
    };
    argp_err_exit_status = EXIT_USED_WRONGLY;
    argv[0] = program_invocation_short_name;   // getopt would print the whole path
    signal(SIGPIPE, SIG_IGN);                  // `| head` ends us by EPIPE, without a message
    setenv("ARGP_HELP_FMT", "rmargin=119", 0); // argp breaks lines at 79 columns, even of messages
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (!arguments.any_view) arguments.views[0] = true;
    if (!arguments.debuginfod) unsetenv("DEBUGINFOD_URLS"); // libdw goes to the network where it is set

    int status = 0;
    for (size_t i = 0; i < arguments.file_count && !ferror(stdout); i++) {
        if (arguments.file_count > 1) printf("== %s ==\n\n", arguments.files[i]);
        int file_status = show_file(arguments.files[i], &arguments);
        if (file_status > status) status = file_status;
    }
    free(options);
    free(arguments.views);
    free(arguments.files);
    return finish_output(status);
}
