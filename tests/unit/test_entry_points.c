/*
 * The list of driver entry points against the CUDA headers: its signatures are cuda.h's, and every entry point whose
 * name says that memory comes, goes or changes hands is either in the list or declined, with the reason.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// With this, cuda.h declares all versions of all functions and gives none of them another's name.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

#include "preload/declined.h"
#include "preload/entry_points.h"

#ifndef CUDA_INCLUDE
#define CUDA_INCLUDE "/usr/local/cuda/include"
#endif

// Not declared anywhere any more, although libcuda and CUPTI still know them.
CUresult cuStreamBeginCapture(CUstream hStream);
CUresult cuStreamBeginCapture_ptsz(CUstream hStream);

// An older cuda.h declares only a part of the list.
#if CUDA_VERSION >= 13000
#define SAME_TYPE(name, parameters)                                                                                    \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), CUresult parameters), #name " differs from cuda.h");
#define X(name, function, effect, memory, parameters, ...) SAME_TYPE(name, parameters)
#define S(name, function, effect, memory, parameters, ...)                                                             \
    SAME_TYPE(name, parameters)                                                                                        \
    SAME_TYPE(name##_ptsz, parameters)
MT_ENTRY_POINTS(X, S)
#undef X
#undef S
#endif

static const char *const listed[] = {
#define X(name, ...) #name,
#define S(name, ...) #name, #name "_ptsz",
    MT_ENTRY_POINTS(X, S)
#undef X
#undef S
};
#define LISTED_COUNT (sizeof listed / sizeof listed[0])

// Words of a name that say something happens to memory, or to what holds memory.
static const char *const verbs[] = {"Add",    "Alloc", "Bind",   "Close",       "Create",  "Destroy",    "Detach",
                                    "Export", "Free",  "Import", "Instantiate", "Launch",  "Load",       "Map",
                                    "Mapped", "Open",  "Pool",   "Register",    "Release", "Reserve",    "Reset",
                                    "Retain", "Trim",  "Unbind", "Unload",      "Unmap",   "Unregister", "Upload"};

static const struct {
    const char *pattern, *reason;
} declined[] = {
#define D(pattern, reason) {pattern, reason},
    MT_DECLINED(D)
#undef D
};
#define DECLINED_COUNT (sizeof declined / sizeof declined[0])

static bool is_listed(const char *name) {
    for (size_t i = 0; i < LISTED_COUNT; i++) {
        if (strcmp(listed[i], name) == 0) return true;
    }
    return false;
}

static bool is_declined(const char *name) {
    for (size_t i = 0; i < DECLINED_COUNT; i++) {
        if (fnmatch(declined[i].pattern, name, 0) == 0) return true;
    }
    return false;
}

// A word starts at a capital and ends before the next capital, digit or underscore.
static bool has_verb(const char *name) {
    for (const char *word = name; *word; word++) {
        if (!isupper((unsigned char)*word)) continue;
        size_t length = 1 + strcspn(word + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
            if (strlen(verbs[i]) == length && strncmp(verbs[i], word, length) == 0) return true;
        }
    }
    return false;
}

static char *read_header(const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", CUDA_INCLUDE, name);
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    char *text = malloc(16 << 20);
    assert_non_null(text);
    size_t length = fread(text, 1, (16 << 20) - 1, file);
    text[length] = 0;
    fclose(file);
    return text;
}

// Calls `visit` for every cu… identifier that follows `prefix` in the header; how many there were.
static size_t each_name(const char *header, const char *prefix, void visit(const char *name)) {
    char *text = read_header(header);
    size_t count = 0;
    assert_non_null(text);
    for (char *at = strstr(text, prefix); at; at = strstr(at, prefix)) {
        char name[128];
        at += strlen(prefix);
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        if (length >= sizeof name || strncmp(at, "cu", 2) != 0) continue;
        memcpy(name, at, length);
        name[length] = 0;
        visit(name);
        count++;
    }
    free(text);
    return count;
}

static unsigned missing;

static void check_name(const char *name) {
    if (!has_verb(name) || is_listed(name) || is_declined(name)) return;
    print_error("%s is neither in preload/entry_points.h nor declined\n", name);
    missing++;
}

static void every_entry_point_of_the_headers_is_handled_or_declined(void **state) {
    (void)state;
    missing = 0;
    assert_true(each_name("cupti_driver_cbid.h", "CUPTI_DRIVER_TRACE_CBID_", check_name) > 600);
    assert_true(each_name("cuda.h", "CUDAAPI ", check_name) > 500);
    assert_int_equal(missing, 0);
}

static void nothing_is_both_handled_and_declined(void **state) {
    (void)state;
    for (size_t i = 0; i < LISTED_COUNT; i++) {
        if (is_declined(listed[i])) fail_msg("%s is in the list and declined", listed[i]);
    }
}

static void no_entry_point_is_listed_twice(void **state) {
    (void)state;
    for (size_t i = 0; i < LISTED_COUNT; i++) {
        for (size_t j = 0; j < i; j++) assert_string_not_equal(listed[i], listed[j]);
    }
}

static void a_verb_is_a_whole_word(void **state) {
    (void)state;
    assert_true(has_verb("cuMemAlloc_v2"));
    assert_true(has_verb("cuMemFreeHost"));
    assert_true(has_verb("cuGraphicsResourceGetMappedPointer_v2"));
    assert_false(has_verb("cuMemcpyHtoD_v2"));
    assert_false(has_verb("cuMipmappedArrayGetSparseProperties"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_point_of_the_headers_is_handled_or_declined),
        cmocka_unit_test(nothing_is_both_handled_and_declined),
        cmocka_unit_test(no_entry_point_is_listed_twice),
        cmocka_unit_test(a_verb_is_a_whole_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
