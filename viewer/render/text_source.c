/*
 * Source lines → text; see text_source.h.
 */
#include "viewer/render/text_source.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/base/memory.h"
#include "viewer/base/printable.h"

#define AROUND       2   // lines shown before and behind those with figures
#define MOST_COLUMNS 160 // of a source line

static void write_figure(FILE *out, uint64_t bytes, enum mt_units units) {
    fprintf(out, "  %10s", bytes ? mt_size(bytes, units).text : "-");
}

static void write_line(FILE *out, uint32_t number, const struct mt_source_line *line, const char *text,
                       enum mt_units units) {
    if (line) {
        write_figure(out, line->allocated, units);
        write_figure(out, line->freed, units);
        write_figure(out, line->most, units);
        fprintf(out, " ");
        write_figure(out, line->at_peak, units);
    } else {
        fprintf(out, "  %10s  %10s  %10s  %11s", "", "", "", "");
    }
    fprintf(out, "  %5u%s%s\n", number, *text ? "  " : "", text);
}

#define TAB 8

// The line with its tabs as blanks, without its end and, where it is too long, cut. The caller frees it.
static char *tidy(const char *text) {
    char *wide = NULL;
    size_t bytes = 0, column = 0;
    FILE *out = open_memstream(&wide, &bytes);
    if (!out) return mt_copy_text("", 0);
    while (*text && *text != '\n' && *text != '\r') {
        size_t length = strcspn(text, "\t\r\n");
        char *part = mt_printable(text, length);
        fprintf(out, "%s", part);
        column += mt_columns(part);
        free(part);
        text += length;
        if (*text != '\t') continue;
        fprintf(out, "%*s", (int)(TAB - column % TAB), "");
        column += TAB - column % TAB;
        text++;
    }
    fclose(out);
    while (bytes && wide[bytes - 1] == ' ') wide[--bytes] = '\0';
    char *shown = mt_shortened(wide, MOST_COLUMNS);
    free(wide);
    return shown;
}

static void write_without_text(FILE *out, const struct mt_source_file *file, enum mt_units units) {
    for (size_t i = 0; i < file->count; i++) write_line(out, file->lines[i].number, &file->lines[i], "", units);
}

// Whether a line is shown that stands behind the last figures before it and before the next.
static bool is_near(const struct mt_source_file *file, size_t next, uint32_t number) {
    if (next < file->count && file->lines[next].number - number <= AROUND) return true;
    return next > 0 && number - file->lines[next - 1].number <= AROUND;
}

void mt_text_source(FILE *out, const struct mt_source_file *file, FILE *text, bool whole, enum mt_units units) {
    fprintf(out, "  %10s  %10s  %10s  %11s  %5s\n", "allocated", "freed", "most live", "at the peak", "line");
    if (!text) {
        write_without_text(out, file, units);
        return;
    }
    char *line = NULL;
    size_t room = 0, next = 0;
    uint32_t number = 0;
    bool gap = false;
    while (getline(&line, &room, text) >= 0) {
        number++;
        bool has_figures = next < file->count && file->lines[next].number == number;
        if (!whole && !has_figures && !is_near(file, next, number)) {
            if (!gap && next < file->count) fprintf(out, "  …\n");
            gap = true;
            continue;
        }
        gap = false;
        char *shown = tidy(line);
        write_line(out, number, has_figures ? &file->lines[next] : NULL, shown, units);
        free(shown);
        if (has_figures) next++;
    }
    free(line);
    // Figures of lines behind the end of the file: it was longer when it ran.
    for (; next < file->count; next++) write_line(out, file->lines[next].number, &file->lines[next], "", units);
}
