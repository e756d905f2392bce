/*
 * --source: the program's files with what each line did to device memory beside it. A file may be elsewhere now, gone,
 * or changed since: what is shown then, it says.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "viewer/base/memory.h"
#include "viewer/base/printable.h"
#include "viewer/render/text_source.h"
#include "viewer/symbols/source.h"
#include "viewer/symbols/symfs.h"
#include "viewer/views/views.h"

// The user may give a whole path, the end of one, or a name.
static bool is_wanted(const char *path, const char *wanted) {
    size_t length = strlen(path), end = strlen(wanted);
    if (end > length || strcmp(path + length - end, wanted) != 0) return false;
    return end == length || path[length - end - 1] == '/' || wanted[0] == '/';
}

static bool is_given(const struct mt_report *report) {
    struct stat status;
    return report->options->source && stat(report->options->source, &status) == 0 && S_ISREG(status.st_mode);
}

#define MOST_SOURCE_BYTES (64 << 20)

// A relative path starts where the compiler did, or Python with the program; else it may start here. Of another
// machine's file, the user may have named a copy.
static FILE *open_file(const struct mt_report *report, const struct mt_source_file *source, struct stat *status) {
    const char *folder = source->folder ? source->folder : mt_definitions_fact(report->definitions, "directory");
    char *full = source->path[0] != '/' && folder ? mt_format_text("%s/%s", folder, source->path) : NULL;
    const char *path = full ? full : source->path, *symfs = report->options->symfs;
    int file = symfs ? mt_open_below(symfs, path) : -1;
    if (file < 0 && mt_made_here(report->definitions)) {
        file = mt_open_regular(path);
        if (file < 0 && full) file = mt_open_regular(source->path);
    }
    if (file < 0 && is_given(report)) file = mt_open_regular(report->options->source);
    free(full);
    if (file >= 0 && fstat(file, status) == 0 && status->st_size <= MOST_SOURCE_BYTES) return fdopen(file, "r");
    if (file >= 0) close(file);
    return NULL;
}

static void show_file(const struct mt_report *report, const struct mt_source_file *file, bool whole, FILE *out) {
    enum mt_units units = report->options->units;
    struct stat status;
    FILE *text = open_file(report, file, &status);
    char *path = mt_printable(file->path, strlen(file->path));
    fprintf(out, "%s: %s allocated, with what its lines called\n", path, mt_amount(file->allocated, units).text);
    free(path);
    uint64_t start = mt_reader_header(report->reader)->start_realtime_ns / 1000000000u;
    if (!text)
        fprintf(out,
                mt_made_here(report->definitions)
                    ? "  The file is not on this machine: its lines are shown without their text.\n"
                    : "  The trace was made by another user or on another machine: its files are opened where --symfs "
                      "FOLDER says; here the lines are shown without their text.\n");
    else if (status.st_mtime > 0 && (uint64_t)status.st_mtime > start)
        fprintf(out, "  The file was changed after the trace began: figures may stand beside other lines.\n");
    mt_text_source(out, file, text, whole, units);
    fprintf(out, "\n");
    if (text) fclose(text);
}

static size_t show_files(const struct mt_report *report, const struct mt_source *source, const char *wanted,
                         FILE *out) {
    size_t shown = 0;
    for (size_t i = 0; i < source->count; i++) {
        if (wanted && !is_wanted(source->files[i].path, wanted)) continue;
        show_file(report, &source->files[i], wanted != NULL, out);
        shown++;
    }
    return shown;
}

void mt_view_source(struct mt_report *report, FILE *out) {
    const char *wanted = report->options->source;
    struct mt_source source;
    mt_source_make(report, &source);
    size_t shown = show_files(report, &source, wanted, out);
    if (!shown && is_given(report)) shown = show_files(report, &source, mt_base_name(wanted), out);
    if (!source.count)
        fprintf(out, "No line of a source file is known to have allocated device memory.\n\n");
    else if (!shown)
        fprintf(out, "%s: none of its lines is known to have allocated device memory; try --source alone.\n\n", wanted);
    mt_source_clear(&source);
}
