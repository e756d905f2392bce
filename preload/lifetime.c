/*
 * Starting and ending the session, see lifetime.h. The start runs on the thread that called cuInit, inside it, so it
 * may take locks of the loader but must come back whatever happens: a trace that can't be written is one line on stderr
 * and an untraced program.
 */
#include "preload/lifetime.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/bus_error.h"
#include "preload/declined.h"
#include "preload/driver.h"
#include "preload/effects/nvml.h"
#include "preload/effects/samples.h"
#include "preload/entry_table.h"
#include "preload/family.h"
#include "preload/feed.h"
#include "preload/guard.h"
#include "preload/hooks/late_frees.h"
#include "preload/loader.h"
#include "preload/loading.h"
#include "preload/message.h"
#include "preload/options.h"
#include "preload/process_facts.h"
#include "preload/python/frames.h"
#include "preload/session.h"
#include "preload/tell.h"
#include "preload/thread.h"
#include "preload/unwind.h"
#include "tracer/facts.h"
#include "tracer/guard.h"

// The first of the program's exit handlers to run after cuInit: from here on the driver may be half gone. A thread of
// the driver's own, on which a callback exits, must not call back into it.
static bool exit_has_begun(void) {
    enum mt_phase live = MT_PHASE_LIVE;
    return atomic_compare_exchange_strong(&mt_session.phase, &live, MT_PHASE_EXITING);
}

static void sample_at_exit(void *argument) {
    const bool *may_call = argument;
    if (*may_call) {
        mt_samples_end();
        mt_feed_exit_begins();
    }
    if (exit_has_begun()) mt_nvml_sample_all();
}

static void exit_begins(void) {
    bool may_call = mt_thread.lane || getpid() == gettid();
    mt_guard_abandon(); // a signal handler may have called exit
    if (!mt_guarded(sample_at_exit, &may_call)) exit_has_begun();
    mt_late_frees_watch();
}

static void quick_exit_begins(void *unused) {
    (void)unused;
    exit_begins();
    mt_session_end("quick_exit");
}

// In a forked child. MADV_WIPEONFORK has stopped the recording already, unless the kernel is too old.
static void forked(void) {
    mt_threads_record(MT_ALIVE_NONE);
    mt_trace_forked(mt_session_trace());
    mt_bus_error_forked();
}

static void end(void *how) {
    mt_feed_end();
    mt_define_fact(mt_session_trace(), MT_FACT_ENDED, how);
    mt_threads_record(MT_ALIVE_OVER);
    // A launcher that only counted the devices leaves no file, as a program without CUDA leaves none.
    if (mt_trace_has_events(mt_session_trace())) {
        mt_trace_finish(mt_session_trace());
    } else {
        mt_trace_discard(mt_session_trace());
    }
}

void mt_session_end(const char *how) {
    enum mt_phase before = atomic_load(&mt_session.phase);
    if (before != MT_PHASE_LIVE && before != MT_PHASE_EXITING) return;
    if (!mt_records()) return;
    if (!atomic_compare_exchange_strong(&mt_session.phase, &before, MT_PHASE_OVER)) return;
    if (!mt_guarded_aside(end, (void *)(uintptr_t)how)) end((void *)(uintptr_t)how);
}

// What pthread_atfork and at_quick_exit call. Weak, so that programs of a C library without these load us all the same.
#pragma weak __register_atfork
#pragma weak __cxa_at_quick_exit
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso_handle);
int __cxa_at_quick_exit(void (*function)(void *), void *dso_handle);

static void define_apis(struct mt_trace *trace) {
    for (unsigned i = 0; i < MT_ENTRY_COUNT; i++) {
        const struct mt_entry_point *entry = &mt_entry_points[i];
        mt_session.api_ids[i] =
            mt_define_api(trace, entry->name, (enum mt_effect)entry->default_effect, (enum mt_memory)entry->memory);
    }
}

// Constant, and in every trace all the same: the report knows no CUDA.
static void define_declined(struct mt_trace *trace) {
#define D(pattern, reason) mt_define_fact(trace, MT_FACT_DECLINED, pattern ": " reason);
    MT_DECLINED(D)
#undef D
}

// Everything that can fail. 0, or -errno after saying why.
static int create_trace(struct mt_options *options) {
    struct mt_trace *trace = NULL;
    int status = mt_options_read(options, mt_load_directory());
    if (status != 0) {
        mt_message("MEMTRACE_OUT is too long; this process is not traced");
        return status;
    }
    struct mt_family family = mt_family_now();
    const struct mt_trace_wish wish = {.path = options->path,
                                       .family = family.number,
                                       .level = family.level,
                                       .since_ns = family.since_ns,
                                       .max_bytes = options->max_bytes,
                                       .late = true};
    status = mt_threads_start();
    if (status == 0) status = mt_trace_create_as(&wish, &trace);
    if (status != 0) {
        const char *why = status == -EEXIST ? "what is there is no trace, and stays as it is" : strerror(-status);
        mt_message("can't write %.300s: %s; this process is not traced", options->path, why);
        return status;
    }
    mt_trace_on_loss(trace, mt_loss_say);
    mt_trace_on_name(trace, mt_name_say);
    mt_bus_error_start();
    atomic_store_explicit(&mt_session.trace, trace, memory_order_release);
    return 0;
}

static void start(void *argument) {
    const bool *init_was_hooked = argument;
    static struct mt_options options; // too large for an unknown stack
    if (create_trace(&options) != 0) {
        atomic_store(&mt_session.phase, MT_PHASE_OVER);
        return;
    }
    struct mt_trace *trace = mt_session_trace();
    mt_session.launch_stacks = options.launch_stacks;
    define_apis(trace);
    define_declined(trace);
    mt_process_facts_write(trace, options.arguments);
    mt_unwind_start(trace, options.stack_depth);
    mt_driver_start();
    mt_unwind_trim_module(mt_driver.anchor);
    mt_python_start(trace);
    mt_loader_start();
    if (__register_atfork) __register_atfork(NULL, NULL, forked, &mt_session);
    mt_feed_start(options.feed, *init_was_hooked);
    // After CUPTI's own exit handler was registered, so that it is still there when ours runs.
    atexit(exit_begins);
    if (__cxa_at_quick_exit) __cxa_at_quick_exit(quick_exit_begins, &mt_session);
    atomic_store(&mt_session.phase, MT_PHASE_LIVE);
    mt_threads_record(MT_ALIVE_RECORDS);
}

bool mt_session_start(void) {
    enum mt_phase none = MT_PHASE_NONE;
    if (mt_loading_is_second()) return false;
    if (atomic_compare_exchange_strong(&mt_session.phase, &none, MT_PHASE_STARTING)) {
        // The driver, and our hook of cuInit, start us within that hook.
        bool init_was_hooked = mt_stack_within((uintptr_t)__builtin_frame_address(0), mt_thread.search_at);
        // A signal handler that jumps out, as of a time limit, does so before or afterwards.
        struct mt_guard guard;
        mt_guard_enter(&guard);
        if (!mt_guarded_aside(start, &init_was_hooked)) atomic_store(&mt_session.phase, MT_PHASE_OVER);
        mt_guard_leave(&guard);
    }
    return atomic_load(&mt_session.phase) == MT_PHASE_LIVE;
}
