/*
 * Places as text; see places.h.
 */
#include "viewer/symbols/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/base/printable.h"

static void mark_cut(struct mt_place_text *out, int length) {
    static const char mark[] = "…";
    size_t room = sizeof(out->text);
    if (length >= 0 && (size_t)length < room) return;
    size_t at = room - sizeof(mark);
    while (at && (out->text[at] & 0xc0) == 0x80) at--; // not into the middle of a character
    memcpy(out->text + at, mark, sizeof(mark));
}

// Paths come as they are.
static void finish(struct mt_place_text *out, int length) {
    mark_cut(out, length);
    char *text = mt_printable(out->text, strlen(out->text));
    mark_cut(out, snprintf(out->text, sizeof(out->text), "%s", text));
    free(text);
}

static const char *file_name(const struct mt_place *place) {
    return place->file_name ? place->file_name->text : mt_base_name(place->file);
}

static int without_line(char *text, size_t room, const struct mt_place *place) {
    const char *where = place->file ? file_name(place) : place->module ? mt_base_name(place->module) : NULL;
    if (where && place->function) return snprintf(text, room, "%s %s", where, place->function);
    if (place->file) return snprintf(text, room, "%s", where);
    if (place->function) return snprintf(text, room, "%s", place->function);
    if (place->module)
        return snprintf(text, room, "%s+0x%llx", mt_base_name(place->module), (unsigned long long)place->offset);
    if (place->offset) return snprintf(text, room, "0x%llx", (unsigned long long)place->offset);
    return snprintf(text, room, "unknown");
}

// Adds what ran there; `length` is that of the text so far.
static int add_within(struct mt_place_text *out, int length, const struct mt_place *place) {
    if (!place->within || length < 0 || (size_t)length >= sizeof(out->text)) return length;
    int more = snprintf(out->text + length, sizeof(out->text) - (size_t)length, " (%s)", place->within);
    return more < 0 ? length : length + more;
}

struct mt_place_text mt_place_text(const struct mt_place *place) {
    struct mt_place_text out;
    int length;
    if (place->file && place->line)
        length = snprintf(out.text, sizeof(out.text), "%s:%u%s%s", file_name(place), place->line,
                          place->function ? " " : "", place->function ? place->function : "");
    else
        length = without_line(out.text, sizeof(out.text), place);
    finish(&out, add_within(&out, length, place));
    return out;
}

struct mt_place_text mt_place_function_text(const struct mt_place *place) {
    struct mt_place_text out;
    finish(&out, without_line(out.text, sizeof(out.text), place));
    return out;
}

struct mt_place_text mt_place_line_text(const struct mt_place *place) {
    struct mt_place_text out;
    int length;
    if (place->file && place->line)
        length = snprintf(out.text, sizeof(out.text), "%s line %u%s%s", file_name(place), place->line,
                          place->function ? ": " : "", place->function ? place->function : "");
    else
        length = without_line(out.text, sizeof(out.text), place);
    finish(&out, length);
    return out;
}
