/*
 * The way in: a process that preloads this library tells the CUDA driver and the NVTX loader to call it back
 * (loading.h), and does nothing else. And the way out, which must be the last thing that happens in the process, since
 * static destructors still free device memory.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "preload/family.h"
#include "preload/hooks/data_symbols.h"
#include "preload/lifetime.h"
#include "preload/loading.h"
#include "preload/nvtx/feed.h"

// Of exit's two last calls into this library, the second ends the session. Preloaded, that is leave_at_exit: it was
// registered before the loader's own exit handler, so it runs after every library's destructors. Loaded by the driver
// in cuInit, it is leave_at_fini: leave_at_exit was registered late and runs early, before older static destructors.
static void leave(void) {
    static atomic_int calls;
    if (atomic_fetch_add(&calls, 1) == 1) mt_session_end("exit");
}

static void leave_at_exit(void *unused) {
    (void)unused;
    leave();
}

__attribute__((destructor)) static void leave_at_fini(void) {
    leave();
}

int __cxa_atexit(void (*function)(void *), void *argument, void *dso_handle); // of the C++ ABI, in the C library

__attribute__((constructor)) static void load(void) {
    // No DSO handle: the handler belongs to the process, so that __cxa_finalize of this library leaves it alone.
    __cxa_atexit(leave_at_exit, NULL, NULL);
    mt_family_learn();
    mt_loading_learn();
    mt_data_symbols_mend();
    if (mt_foreign_nvtx_injection()) mt_nvtx_chain(mt_foreign_nvtx_injection(), mt_library_path());
}
