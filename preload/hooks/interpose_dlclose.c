/*
 * dlclose, interposed: afterwards the addresses of a library may mean another one, so what we know of loaded libraries
 * must be looked up again before the next stack is stored.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#include "preload/feed.h"
#include "preload/guard.h"
#include "preload/loader.h"
#include "preload/real_dlsym.h"

typedef int dlclose_fn(void *handle);

static void look(void *unused) {
    (void)unused;
    mt_feed_look_for_bypass();
}

__attribute__((visibility("default"))) int dlclose(void *handle) {
    static _Atomic(dlclose_fn *) next;
    dlclose_fn *real = atomic_load_explicit(&next, memory_order_acquire);
    if (!real) {
        mt_dlsym_fn *next_dlsym = mt_next_dlsym();
        real = next_dlsym ? (dlclose_fn *)next_dlsym(RTLD_NEXT, "dlclose") : NULL;
        if (!real) return -1;
        atomic_store_explicit(&next, real, memory_order_release);
    }
    if (mt_records()) mt_guarded_aside(look, NULL); // it will not be there at the end
    int status = real(handle);
    if (status == 0 && mt_loader_watching) mt_loader_called();
    return status;
}
