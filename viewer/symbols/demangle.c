/*
 * Bounded demangling; see demangle.h. Substitutions make a name double with every dozen bytes, so the text is taken
 * from the demangler piece by piece, and it is left once there is enough.
 */
#include "viewer/symbols/demangle.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/base/memory.h"
#include "viewer/base/printable.h"
#include "viewer/symbols/signature.h"

enum {
    MOST_MANGLED = 8192,    // the demangler takes memory by the name's length
    MOST_PLAIN = 2048,      // of what is shown
    MOST_SIGNATURE = 16384, // of what that is taken from
};

// Of the C++ library (libstdc++-v3's cp-demangle.c), which its shared form does not export. 0, or less for what is no
// mangled name.
int __gcclibcxx_demangle_callback(const char *mangled, void (*take)(const char *piece, size_t bytes, void *user),
                                  void *user);

struct plain {
    char text[MOST_SIGNATURE + 1];
    size_t bytes;
    bool cut;
    jmp_buf enough;
};

// The demangler holds nothing but stack while it calls back: it may be left for good.
static void take(const char *piece, size_t bytes, void *user) {
    struct plain *plain = user;
    size_t room = MOST_SIGNATURE - plain->bytes;
    size_t taken = bytes < room ? bytes : room;
    memcpy(plain->text + plain->bytes, piece, taken);
    plain->bytes += taken;
    if (taken == bytes) return;
    plain->cut = true;
    longjmp(plain->enough, 1);
}

// False: it is no mangled name.
static bool demangle(const char *name, struct plain *plain) {
    if (strncmp(name, "_Z", 2) != 0 || strnlen(name, MOST_MANGLED + 1) > MOST_MANGLED) return false;
    if (setjmp(plain->enough)) return true;
    return __gcclibcxx_demangle_callback(name, take, plain) == 0;
}

// "vtable for …", "guard variable for …": the words before the name are no type, and most of these are no functions.
static struct mt_name_range name_of(const char *mangled, const struct plain *plain) {
    struct mt_name_range name = mt_signature_name(plain->text, plain->bytes, plain->cut);
    bool is_thunk = mangled[2] == 'T' && mangled[3] && strchr("hvc", mangled[3]);
    if (!mangled[2] || !strchr("TG", mangled[2])) return name;
    return (struct mt_name_range){0, is_thunk ? name.start + name.bytes : plain->bytes};
}

char *mt_demangle(const char *name) {
    struct plain *plain = mt_allocate(sizeof(*plain));
    const char *text = name;
    size_t bytes = strnlen(name, MOST_PLAIN + 1);
    bool cut = bytes > MOST_PLAIN;
    if (demangle(name, plain)) {
        // Parts of a function that the compiler set apart: "f [clone .cold]" is f.
        char *clone = strstr(plain->text, " [clone ");
        if (clone) plain->bytes = (size_t)(clone - plain->text);
        struct mt_name_range range = name_of(name, plain);
        text = plain->text + range.start;
        bytes = range.bytes;
        cut = bytes > MOST_PLAIN;
    }
    if (cut) bytes = MOST_PLAIN;
    // Only now: within a mangled name, escapes would be no name any more, and demangling would bring back the bytes.
    char *printable = mt_printable(text, bytes);
    free(plain);
    if (!cut) return printable;
    char *shown = mt_format_text("%s…", printable);
    free(printable);
    return shown;
}
