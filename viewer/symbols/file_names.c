/*
 * Telling files of one name apart; see file_names.h.
 */
#include "viewer/symbols/file_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/base/hash.h"
#include "viewer/base/memory.h"
#include "viewer/symbols/symbols.h"

struct file {
    struct mt_file_name name; // the first member: what callers hold
    char *path;               // normal, absolute where its folder is known
    struct namesakes *namesakes;
    struct file *next; // of the namesakes; NULL: the last, or not shown
    bool shown;
    UT_hash_handle hh;
};

// The shown files that have their last component in common.
struct namesakes {
    const char *base; // in the first one's path
    struct file *files;
    size_t components; // of a path that it takes to tell them apart
    UT_hash_handle hh;
};

struct mt_file_names {
    struct file *files;
    struct namesakes *namesakes;
};

struct mt_file_names *mt_file_names_new(void) {
    return mt_allocate(sizeof(struct mt_file_names));
}

void mt_file_names_free(struct mt_file_names *names) {
    if (!names) return;
    mt_hash_free(names->namesakes);
    struct file *file, *next;
    HASH_ITER(hh, names->files, file, next) {
        HASH_DEL(names->files, file);
        free(file->path);
        free(file);
    }
    free(names);
}

// Takes "." and ".." and double slashes out of a path, in place: compilers write one file in many ways.
static void normalise(char *path) {
    char *out = path, *floor = path; // what lies below the floor is not to be taken back
    for (const char *in = path; *in;) {
        size_t length = strcspn(in, "/");
        const char *rest = in + length + (in[length] == '/');
        if (length == 0 && in == path) {
            *out++ = '/';
            floor = out;
        } else if (length == 2 && strncmp(in, "..", 2) == 0 && out > floor) {
            out--;
            while (out > floor && out[-1] != '/') out--;
        } else if (length && !(length == 1 && *in == '.')) {
            memmove(out, in, length);
            bool up = length == 2 && strncmp(out, "..", 2) == 0;
            out += length;
            if (*rest) *out++ = '/';
            if (up) floor = out;
        }
        in = rest;
    }
    *out = '\0';
}

const struct mt_file_name *mt_file_name(struct mt_file_names *names, const char *folder, const char *path) {
    bool whole = path[0] == '/' || path[0] == '<' || !folder; // <stdin> is in no folder
    char *full = whole ? mt_copy_text(path, strlen(path)) : mt_format_text("%s/%s", folder, path);
    struct file *file;
    if (path[0] != '<') normalise(full);
    HASH_FIND_STR(names->files, full, file);
    if (file) {
        free(full);
        return &file->name;
    }
    file = mt_allocate(sizeof(*file));
    file->path = full;
    file->name.text = mt_base_name(full);
    HASH_ADD_KEYPTR(hh, names->files, file->path, strlen(file->path), file);
    return &file->name;
}

// The last components of a path, as many of them as it has at most.
static const char *tail(const char *path, size_t components) {
    const char *at = path + strlen(path);
    while (at > path && (at[-1] != '/' || --components)) at--;
    return at;
}

// Paths differ, and tails that differ go on doing so as they grow: the search for more components ends.
static void add_namesake(struct namesakes *namesakes, struct file *file) {
    for (const struct file *other = namesakes->files; other; other = other->next)
        while (strcmp(tail(file->path, namesakes->components), tail(other->path, namesakes->components)) == 0)
            namesakes->components++;
    file->next = namesakes->files;
    namesakes->files = file;
    for (; file; file = file->next) file->name.text = tail(file->path, namesakes->components);
}

void mt_file_name_show(struct mt_file_names *names, const struct mt_file_name *name) {
    struct file *file = (struct file *)name;
    if (file->shown) return;
    const char *base = mt_base_name(file->path);
    struct namesakes *namesakes;
    HASH_FIND_STR(names->namesakes, base, namesakes);
    if (!namesakes) {
        namesakes = mt_allocate(sizeof(*namesakes));
        namesakes->base = base;
        namesakes->components = 1;
        HASH_ADD_KEYPTR(hh, names->namesakes, namesakes->base, strlen(namesakes->base), namesakes);
    }
    file->shown = true;
    add_namesake(namesakes, file);
}
