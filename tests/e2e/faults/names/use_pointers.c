/*
 * Fills the variables of pointers.h and calls through them. Built with LINKED, it is linked against them;
 * argument is the library to load at run time; that is asked for its variable by name, too.
 */
#include <dlfcn.h>
#include <string.h>

#include "tests/e2e/faults/names/pointers.h"

typedef int step_fn(void);

static int open_and_work(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library) return 2;
    step_fn *fill = (step_fn *)dlsym(library, "pointers_fill"), *work = (step_fn *)dlsym(library, "pointers_work");
    init_fn **variable = (init_fn **)dlsym(library, "cuInit");
    if (!fill || !work || !variable || *variable != NULL || fill() != 0) return 3;
    if (*variable == NULL || dlsym(RTLD_DEFAULT, "cuInit") != (void *)variable) return 4;
    return work();
}

#ifdef LINKED
int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "open") == 0) return open_and_work(arguments[2]);
    return pointers_fill() != 0 ? 2 : WORK();
}
#else
int main(int count, char **arguments) {
    return count == 2 ? open_and_work(arguments[1]) : 1;
}
#endif
