/*
 * Life of a process: libraries that come, allocate and go. Usage: plugins ROUNDS LIBRARY...: in each round every
 * library is loaded, allocates once and is unloaded; what the last round allocated stays.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/e2e/coverage/driver.h"

static void visit(const char *path, bool keep) {
    void *library = dlopen(path, RTLD_NOW);
    CUresult (*allocate)(CUdeviceptr *) = library ? dlsym(library, "plugin_allocate") : NULL;
    CUdeviceptr address;

    if (!allocate) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    CU(allocate(&address));
    if (!keep) CU(cuMemFree(address));
    dlclose(library);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 1;

    driver_open();
    for (int round = 1; round <= rounds; round++) {
        for (int i = 2; i < argc; i++) visit(argv[i], round == rounds);
    }
    return 0;
}
