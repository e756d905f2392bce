/*
 * A plug-in that needs libcuda and looks its functions up by RTLD_DEFAULT. Loaded RTLD_LOCAL by test_hooks.c, it finds
 * what no global scope holds.
 */
#include <dlfcn.h>

void *beside_driver_find(const char *name);

void *beside_driver_find(const char *name) {
    void *volatile found = dlsym(RTLD_DEFAULT, name); // no tail call: dlsym goes by who calls it
    return found;
}
