/*
 * Kinds of code by path; see modules.h.
 */
#include "viewer/symbols/modules.h"

#include <string.h>

#include "tracer/facts.h"
#include "viewer/symbols/symbols.h"

struct pattern {
    const char *text;
    enum mt_code_kind kind;
};

static bool starts_with(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

// A library's file name up to its version: "libcuda.so.1", "libcuda.so.580.159", "libcudart-d0da41ae.so.11.0".
static bool is_library(const char *name, const char *stem) {
    size_t length = strlen(stem);
    return strncmp(name, stem, length) == 0 && (name[length] == '.' || name[length] == '-');
}

static const struct pattern libraries[] = {
    {"libmemtrace", MT_CODE_TRACER},
    {"libcuda", MT_CODE_DRIVER},
    {"libcupti", MT_CODE_DRIVER},
    {"libcudart", MT_CODE_RUNTIME},
    {"libc", MT_CODE_SYSTEM},
    {"libpthread", MT_CODE_SYSTEM},
    {"libdl", MT_CODE_SYSTEM},
    {"libm", MT_CODE_SYSTEM},
    {"librt", MT_CODE_SYSTEM},
    {"ld", MT_CODE_SYSTEM},
    {"ld-linux", MT_CODE_SYSTEM},
    {"ld-linux-x86-64", MT_CODE_SYSTEM},
    {"ld-linux-aarch64", MT_CODE_SYSTEM},
    {"libstdc++", MT_CODE_SYSTEM},
    {"libgcc_s", MT_CODE_SYSTEM},
    {"libc++", MT_CODE_SYSTEM},
    {"libc++abi", MT_CODE_SYSTEM},
};

static const char *const installed_folders[] = {"/usr/", "/lib/", "/lib64/", "/opt/"};
static const char *const installed_parts[] = {"/site-packages/", "/dist-packages/", "/lib-dynload/"};

static bool is_installed(const char *path) {
    if (starts_with(path, "/usr/src/") || starts_with(path, "/usr/local/src/")) return false;
    for (size_t i = 0; i < sizeof(installed_folders) / sizeof(*installed_folders); i++)
        if (starts_with(path, installed_folders[i])) return true;
    for (size_t i = 0; i < sizeof(installed_parts) / sizeof(*installed_parts); i++)
        if (strstr(path, installed_parts[i])) return true;
    return false;
}

enum mt_code_kind mt_module_kind(const char *path, const char *executable) {
    const char *name = mt_base_name(path);
    if (*executable && strcmp(path, executable) == 0)
        return starts_with(name, "python") ? MT_CODE_LIBRARY : MT_CODE_PROGRAM;
    for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
        if (is_library(name, libraries[i].text)) return libraries[i].kind;
    if (path[0] != '/') return MT_CODE_SYSTEM; // [vdso], linux-vdso.so.1
    if (is_installed(path) || starts_with(name, "libpython")) return MT_CODE_LIBRARY;
    return MT_CODE_LOCAL;
}

const char *mt_modules_executable(const struct mt_definitions *definitions) {
    const char *fact = mt_definitions_fact(definitions, MT_FACT_EXECUTABLE);
    if (fact) return fact;
    size_t count;
    const struct mt_module *modules = mt_definitions_modules(definitions, &count);
    return count ? modules[0].path : ""; // the loader lists the executable first
}

bool mt_is_system_source(const char *file) {
    if (strncmp(file, "/usr/", 5) == 0 && is_installed(file)) return true;
    const char *name = mt_base_name(file);
    if (starts_with(name, "tmpxft_")) return true; // nvcc's stubs
    if (starts_with(name, "cuda_runtime") || starts_with(name, "cuda_device_runtime")) return true;
    return strstr(file, "/targets/x86_64-linux/include/") || strstr(file, "/targets/sbsa-linux/include/") ||
           strstr(file, "/include/c++/") || strstr(file, "/include/crt/");
}

bool mt_is_typed_python(const char *file) {
    static const char *const names[] = {"<string>", "<stdin>", "<console>", "<ipython-input-", "<python-input-"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (starts_with(file, names[i])) return true;
    return false;
}

bool mt_is_library_python(const char *file) {
    if (file[0] == '<') return true; // <frozen importlib._bootstrap>, <__array_function__ internals>
    return strstr(file, "/site-packages/") || strstr(file, "/dist-packages/") || strstr(file, "/lib/python3");
}
