/*
 * A C program that loads a shared libpython privately (RTLD_LOCAL) and runs a script in it: embed_python PYTHON, the
 * interpreter whose library it is. The script calls back into the feed, which must find that library. Prints TAP.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fakes/python_probe.h"

// Of the stable ABI; declared here, since this program is built once for every version.
typedef struct _object PyObject;
struct method {
    const char *name;
    PyObject *(*function)(PyObject *, PyObject *);
    int flags;
    const char *doc;
};
enum { METH_NOARGS = 4 };

static char seen[1 << 16];
static PyObject *none;

static PyObject *report(PyObject *self, PyObject *arguments) {
    (void)self, (void)arguments;
    snprintf(seen, sizeof seen, "%s", probe());
    return none; // immortal, or borrowed for the short rest of this process
}

static void *symbol(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        printf("Bail out! no %s\n", name);
        exit(1);
    }
    return found;
}

// Declares a pointer of that name to a function of the library.
#define IMPORT(result, name, ...) result (*name)(__VA_ARGS__) = (result(*)(__VA_ARGS__))symbol(library, #name)

// The library and the home of the interpreter: …/bin/python3 → …/lib/libpython3.N.so.1.0.
static void *load(const char *python, char *home, size_t home_bytes) {
    char command[4096], path[4096] = "";
    snprintf(command, sizeof command,
             "'%s' -c \"import sysconfig as s; print(s.get_config_var('LIBDIR') + '/' + "
             "s.get_config_var('INSTSONAME'), end='')\"",
             python);
    FILE *output = popen(command, "r");
    if (output) {
        path[fread(path, 1, sizeof path - 1, output)] = '\0';
        pclose(output);
    }
    snprintf(home, home_bytes, "%s", python);
    for (int i = 0; i < 2 && strrchr(home, '/'); i++) *strrchr(home, '/') = '\0';
    return strstr(path, ".so") ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static bool run(void *library) {
    static const struct method method = {"report", report, METH_NOARGS, NULL};
    IMPORT(void, Py_InitializeEx, int);
    IMPORT(PyObject *, PyCFunction_NewEx, const struct method *, PyObject *, PyObject *);
    IMPORT(PyObject *, PyImport_AddModule, const char *);
    IMPORT(int, PyObject_SetAttrString, PyObject *, const char *, PyObject *);
    IMPORT(int, PyRun_SimpleString, const char *);
    probe_start();
    Py_InitializeEx(0);
    none = symbol(library, "_Py_NoneStruct");
    PyObject *function = PyCFunction_NewEx(&method, NULL, NULL);
    PyObject_SetAttrString(PyImport_AddModule("__main__"), "report", function);
    PyRun_SimpleString("def inner():\n    report()\n\ndef outer():\n    inner()\n\nouter()\n");

    // The first frame is report's own.
    const char *want = "P inner <string>:2\nP outer <string>:5\nP <module> <string>:7\nN embed_python ";
    const char *outwards = strchr(seen, '\n');
    return outwards && strncmp(outwards + 1, want, strlen(want)) == 0;
}

int main(int argc, char **argv) {
    char home[4096];
    printf("1..1\n");
    void *library = argc == 2 ? load(argv[1], home, sizeof home) : NULL;
    if (!library) {
        printf("ok 1 - %s embedded # SKIP has no shared library\n", argc == 2 ? argv[1] : "?");
        return 0;
    }
    setenv("PYTHONHOME", home, 1);
    IMPORT(const char *, Py_GetVersion, void);
    bool passed = run(library);
    printf("%s 1 - CPython %.7s: embedded, in a private library\n", passed ? "ok" : "not ok", Py_GetVersion());
    for (const char *line = passed ? NULL : strtok(seen, "\n"); line; line = strtok(NULL, "\n")) printf("# %s\n", line);
    fflush(stdout);
    _Exit(!passed);
}
