/*
 * Finds the interpreter by its exported symbols, and decides whether its frames can be read. See python/probe.h.
 */
#include "preload/python/probe.h"

#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/python/loop.h"
#include "preload/real_dlsym.h"

// Names a shared libpython that was loaded RTLD_LOCAL: by an embedding program, or with a plug-in.
static int find_local_library(struct dl_phdr_info *info, size_t size, void *path) {
    (void)size;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *base = slash ? slash + 1 : info->dlpi_name;
    // libpython3.so alone is the stable-ABI forwarder.
    if (strncmp(base, "libpython3.", 11) != 0 || !isdigit((unsigned char)base[11])) return 0;
    snprintf(path, PATH_MAX, "%s", info->dlpi_name);
    return 1;
}

// A handle that the interpreter's symbols are found with: of the whole program, in most programs.
static bool find_handle(void **handle) {
    char path[PATH_MAX];
    *handle = dlopen(NULL, RTLD_LAZY);
    if (*handle && mt_real_dlsym(*handle, "PyGILState_GetThisThreadState")) return true;
    if (!dl_iterate_phdr(find_local_library, path)) return false;
    *handle = dlopen(path, RTLD_NOLOAD | RTLD_LAZY);
    return *handle && mt_real_dlsym(*handle, "PyGILState_GetThisThreadState");
}

static bool find_entry_points(void *handle, struct mt_python *python) {
    // ISO C has no conversion from dlsym's result to a function; POSIX demands that this works.
    *(void **)&python->thread_state = mt_real_dlsym(handle, "PyGILState_GetThisThreadState");
    *(void **)&python->is_initialized = mt_real_dlsym(handle, "Py_IsInitialized");
    *(void **)&python->interpreter_head = mt_real_dlsym(handle, "PyInterpreterState_Head");
    *(void **)&python->interpreter_main = mt_real_dlsym(handle, "PyInterpreterState_Main");
    python->code_type = mt_real_dlsym(handle, "PyCode_Type");
    return python->thread_state && python->is_initialized && python->interpreter_head && python->interpreter_main &&
           python->code_type;
}

// Splits "3.12.1 (main, …) [GCC …]"; *minor is -1 for what is no released CPython 3.
static void read_version(const char *text, struct mt_python *python, int *minor) {
    size_t length = strcspn(text, " ");
    snprintf(python->version, sizeof python->version, "%.*s", (int)length, text);
    *minor = -1;
    if (strncmp(text, "3.", 2) != 0) return;
    // Structures still move in alpha and beta releases: "3.14.0a4+".
    if (memchr(text, 'a', length) || memchr(text, 'b', length)) return;
    *minor = atoi(text + 2);
}

enum mt_python_presence mt_python_probe(struct mt_python *out, const char **why) {
    void *handle;
    int minor;
    memset(out, 0, sizeof *out);
    if (!find_handle(&handle)) return MT_PYTHON_ABSENT;

    const char *(*get_version)(void);
    *(void **)&get_version = mt_real_dlsym(handle, "Py_GetVersion");
    const char *version = get_version ? get_version() : "of no version";
    read_version(version, out, &minor);
    if (minor < 9) { // an older one lacks some of the interface, too
        *why = "unknown version";
        return MT_PYTHON_DECLINED;
    }
    if (!find_entry_points(handle, out)) {
        *why = "incomplete interface";
        return MT_PYTHON_DECLINED;
    }
    if (strstr(version, "free-threading")) {
        *why = "free-threaded build";
        return MT_PYTHON_DECLINED;
    }
    // Up to 3.12 such a build has two more pointers in front of every object; later ones are declined alike.
    if (mt_real_dlsym(handle, "_Py_PrintReferences")) {
        *why = "build with reference tracing";
        return MT_PYTHON_DECLINED;
    }
    if (mt_python_layout(minor, mt_real_dlsym(handle, "_PyRuntime"), &out->layout, why) < 0) return MT_PYTHON_DECLINED;

    const void *loop = mt_real_dlsym(handle, "_PyEval_EvalFrameDefault");
    if (loop) mt_python_find_loop(loop, out);
    return MT_PYTHON_READABLE;
}
