/*
 * See loader.h. The loader counts what it has loaded and unloaded: where nothing has changed, the way costs some tens
 * of nanoseconds.
 */
#include "preload/loader.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#include "preload/effects/nvml.h"
#include "preload/elf_object.h"
#include "preload/guard.h"
#include "preload/hooks/lookup.h"
#include "preload/hooks/table.h"
#include "preload/python/frames.h"
#include "preload/session.h"
#include "preload/torch/feed.h"

bool mt_loader_watching; // set once

static _Atomic(unsigned long long) looked_at; // what mt_elf_changes said when the last look began
static _Atomic(unsigned) wanted;              // looks asked for; who finds none under way does those of all

static void look(void *unused) {
    (void)unused;
    unsigned done;
    if (atomic_fetch_add(&wanted, 1) > 0) return;
    do {
        done = atomic_load(&wanted);
        atomic_store(&looked_at, mt_elf_changes());
        mt_modules_refresh(mt_session_trace());
        mt_lookup_look();
        mt_hook_look();
        mt_python_look();
        mt_torch_look();
    } while (atomic_fetch_sub(&wanted, done) != done);
    dlerror();
}

void mt_loader_start(void) {
    mt_nvml_start();
    look(NULL);
    mt_loader_watching = true;
}

void mt_loader_called(void) {
    // A child that was forked records nothing, and may have been forked in the middle of a look.
    if (mt_records() && mt_elf_changes() != atomic_load(&looked_at)) mt_guarded_aside(look, NULL);
}
