/*
 * Making room for another CUPTI client, see cupti/interpose.h. torch.profiler calls cuptiSubscribe through the dynamic
 * linker, others look it up; a process may hold several libcupti.
 */
#include "preload/cupti/interpose.h"

#include <cupti.h>
#include <stdatomic.h>
#include <string.h>

#include "preload/cupti/library.h"
#include "preload/feed.h"

#define EXPORTED(symbol) __asm__(symbol) __attribute__((visibility("default")))
CUptiResult CUPTIAPI hook_subscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *user)
    EXPORTED("cuptiSubscribe");
CUptiResult CUPTIAPI hook_subscribe_v2(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *user,
                                       void *params) EXPORTED("cuptiSubscribe_v2");

CUptiResult CUPTIAPI hook_finalize(void) EXPORTED("cuptiFinalize");

enum { SUBSCRIBE, SUBSCRIBE_V2, FINALIZE, HOOK_COUNT };
static struct {
    const char *name;
    void *hook;
    _Atomic(void *) real;
} hooks[HOOK_COUNT] = {
    [SUBSCRIBE] = {"cuptiSubscribe", (void *)hook_subscribe, NULL},
    [SUBSCRIBE_V2] = {"cuptiSubscribe_v2", (void *)hook_subscribe_v2, NULL},
    [FINALIZE] = {"cuptiFinalize", (void *)hook_finalize, NULL},
};

static int index_of(const char *name) {
    for (int i = 0; i < HOOK_COUNT; i++) {
        if (strcmp(name, hooks[i].name) == 0) return i;
    }
    return -1;
}

bool mt_cupti_is_hooked(const char *name) {
    return index_of(name) >= 0;
}

void *mt_cupti_hook(const char *name) {
    return hooks[index_of(name)].hook;
}

void *mt_cupti_replacement(const char *name, void *function) {
    int index = index_of(name);
    if (function != hooks[index].hook) atomic_store_explicit(&hooks[index].real, function, memory_order_release);
    return hooks[index].hook;
}

// A client that is linked against libcupti calls the one it is linked against, which may be in no scope of ours; one
// that looked the function up calls what it found.
static void *real_of(int index, const void *caller) {
    void *found = mt_cupti_library_find(hooks[index].name, caller);
    if (!found || found == hooks[index].hook) found = atomic_load_explicit(&hooks[index].real, memory_order_acquire);
    return found ? found : mt_cupti_library_find(hooks[index].name, NULL);
}

CUptiResult CUPTIAPI hook_subscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *user) {
    CUptiResult(CUPTIAPI * real)(CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *);
    *(void **)&real = real_of(SUBSCRIBE, __builtin_return_address(0));
    if (!real) return CUPTI_ERROR_NOT_INITIALIZED;
    mt_feed_step_aside("cuptiSubscribe");
    return real(subscriber, callback, user);
}

CUptiResult CUPTIAPI hook_subscribe_v2(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *user,
                                       void *params) {
    CUptiResult(CUPTIAPI * real)(CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *, void *);
    *(void **)&real = real_of(SUBSCRIBE_V2, __builtin_return_address(0));
    if (!real) return CUPTI_ERROR_NOT_INITIALIZED;
    mt_feed_step_aside("cuptiSubscribe_v2");
    return real(subscriber, callback, user, params);
}

CUptiResult CUPTIAPI hook_finalize(void) {
    CUptiResult(CUPTIAPI * real)(void);
    *(void **)&real = real_of(FINALIZE, __builtin_return_address(0));
    if (!real) return CUPTI_ERROR_NOT_INITIALIZED;
    mt_feed_step_aside("cuptiFinalize");
    return real();
}
