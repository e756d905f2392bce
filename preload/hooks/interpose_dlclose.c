/*
 * dlclose, interposed: afterwards the addresses of a library may mean another one, so the trace's list of modules must
 * be read again before the next stack is stored. (dlopen needs nothing: a new stack finds its new modules by itself.)
 */
#include <dlfcn.h>
#include <stdatomic.h>

#include "preload/feed.h"
#include "preload/guard.h"
#include "preload/real_dlsym.h"
#include "preload/session.h"

typedef int dlclose_fn(void *handle);

static void look(void *unused) {
    (void)unused;
    mt_feed_look_for_bypass();
}

static void refresh(void *unused) {
    (void)unused;
    mt_modules_refresh(mt_session_trace());
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
    if (status == 0 && mt_records()) mt_guarded_aside(refresh, NULL);
    return status;
}
