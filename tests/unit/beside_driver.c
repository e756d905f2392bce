/*
 * A plug-in that needs libcuda and looks its functions up by RTLD_DEFAULT. Loaded RTLD_LOCAL by test_hooks.c, it finds
 * what no global scope holds. It can also ask CUPTI for a subscription.
 */
#include <dlfcn.h>
#include <stddef.h>

typedef int subscribe_fn(void **subscriber, void *callback, void *user);

void *beside_driver_find(const char *name);
int beside_driver_subscribe(subscribe_fn *subscribe);

void *beside_driver_find(const char *name) {
    void *volatile found = dlsym(RTLD_DEFAULT, name); // no tail call: dlsym goes by who calls it
    return found;
}

// A wrong call of it, which comes from this library.
int beside_driver_subscribe(subscribe_fn *subscribe) {
    volatile int status = subscribe(NULL, NULL, NULL);
    return status;
}
