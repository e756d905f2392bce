/*
 * Making room for another CUPTI client, see cupti/interpose.h. torch.profiler calls the plain one through the dynamic
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

static struct {
    const char *name;
    void *hook;
    _Atomic(void *) real;
} hooks[] = {{"cuptiSubscribe", (void *)hook_subscribe, NULL}, {"cuptiSubscribe_v2", (void *)hook_subscribe_v2, NULL}};

static int index_of(const char *name) {
    if (strcmp(name, hooks[0].name) == 0) return 0;
    return strcmp(name, hooks[1].name) == 0 ? 1 : -1;
}

bool mt_cupti_is_subscribe(const char *name) {
    return index_of(name) >= 0;
}

void *mt_cupti_subscribe_hook(const char *name) {
    return hooks[index_of(name)].hook;
}

void *mt_cupti_subscribe_replacement(const char *name, void *function) {
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
    *(void **)&real = real_of(0, __builtin_return_address(0));
    if (!real) return CUPTI_ERROR_NOT_INITIALIZED;
    mt_feed_step_aside("cuptiSubscribe");
    return real(subscriber, callback, user);
}

CUptiResult CUPTIAPI hook_subscribe_v2(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *user,
                                       void *params) {
    CUptiResult(CUPTIAPI * real)(CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *, void *);
    *(void **)&real = real_of(1, __builtin_return_address(0));
    if (!real) return CUPTI_ERROR_NOT_INITIALIZED;
    mt_feed_step_aside("cuptiSubscribe_v2");
    return real(subscriber, callback, user, params);
}
