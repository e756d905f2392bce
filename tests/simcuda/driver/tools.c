// Who is called back, and the calling. One subscriber at a time. A subscription is an immutable record that is never
// freed (there are few), so a thread may still be inside a callback while another unsubscribes.
#include "tests/simcuda/driver/tools.h"
#include "tests/simcuda/driver/context.h"
#include "tests/simcuda/driver/driver.h"
#include <cupti_driver_cbid.h>
#include <cupti_runtime_cbid.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MAX_CALLBACK_ID = 1024 };
_Static_assert((int)CUPTI_DRIVER_TRACE_CBID_SIZE <= MAX_CALLBACK_ID, "driver callback ids fit");
_Static_assert((int)CUPTI_RUNTIME_TRACE_CBID_SIZE <= MAX_CALLBACK_ID, "runtime callback ids fit");

struct subscription {
    CUpti_CallbackFunc callback;
    void *userdata;
    struct subscription *previous; // keeps all of them reachable
};

static _Atomic(struct subscription *) current;
static _Atomic(struct subscription *) last;
static atomic_uchar enabled[CUPTI_CB_DOMAIN_SIZE][MAX_CALLBACK_ID];
static atomic_uint next_correlation_id = 1;
static _Thread_local uint32_t thread_correlation_id; // of the outermost call in progress

// Once the driver has gone, it calls nobody back.
bool sim_tools_wants(CUpti_CallbackDomain domain, uint32_t callback_id) {
    return atomic_load_explicit(&enabled[domain][callback_id], memory_order_acquire) &&
           sim_ready() != CUDA_ERROR_DEINITIALIZED;
}

void sim_tools_enable(CUpti_CallbackDomain domain, uint32_t callback_id, bool on) {
    if ((unsigned)domain < CUPTI_CB_DOMAIN_SIZE && callback_id < MAX_CALLBACK_ID)
        atomic_store_explicit(&enabled[domain][callback_id], on, memory_order_release);
}

const void *sim_tools_subscribe(CUpti_CallbackFunc callback, void *userdata) {
    struct subscription *expected = NULL, *mine = malloc(sizeof(*mine));
    if (!mine) return NULL;
    *mine = (struct subscription){.callback = callback, .userdata = userdata};
    if (!atomic_compare_exchange_strong(&current, &expected, mine)) {
        free(mine);
        return NULL;
    }
    mine->previous = atomic_load(&last);
    atomic_store(&last, mine);
    return mine;
}

bool sim_tools_is_subscriber(const void *subscriber) {
    return subscriber && subscriber == atomic_load(&current);
}

bool sim_tools_unsubscribe(const void *subscriber) {
    if (!sim_tools_is_subscriber(subscriber)) return false;
    for (int domain = 0; domain < CUPTI_CB_DOMAIN_SIZE; domain++)
        for (int id = 0; id < MAX_CALLBACK_ID; id++) atomic_store(&enabled[domain][id], 0);
    atomic_store(&current, NULL);
    return true;
}

void sim_tools_finalize(void) {
    const struct subscription *last_one = atomic_load(&current);
    if (last_one) sim_tools_unsubscribe(last_one);
}

void sim_tools_fail(CUptiResult result, const char *message) {
    const struct subscription *to = atomic_load(&current);
    if (to && sim_tools_wants(CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR)) {
        CUpti_StateData data = {.notification = {.result = result, .message = message}};
        to->callback(to->userdata, CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR, &data);
    }
    sim_tools_finalize();
}

static void report(struct simcuda_call *call, const struct subscription *to, CUpti_ApiCallbackSite site, void *result) {
    struct sim_context *context = sim_context_current();
    CUpti_CallbackData data = {
        .callbackSite = site,
        .functionName = call->name,
        .functionParams = call->params,
        .functionReturnValue = result,
        .symbolName = call->symbol,
        .context = (CUcontext)context,
        .contextUid = context ? context->uid : 0,
        .correlationData = &call->correlation_data,
        .correlationId = call->correlation_id,
    };
    to->callback(to->userdata, call->domain, call->callback_id, &data);
}

void sim_tools_enter(struct simcuda_call *call) {
    call->outer_correlation_id = thread_correlation_id;
    if (!thread_correlation_id)
        thread_correlation_id = atomic_fetch_add_explicit(&next_correlation_id, 1, memory_order_relaxed);
    call->correlation_id = thread_correlation_id;
    call->correlation_data = 0;
    call->subscriber = NULL;
    if (!sim_tools_wants(call->domain, call->callback_id)) return;
    const struct subscription *to = atomic_load(&current);
    call->subscriber = to;
    if (to) report(call, to, CUPTI_API_ENTER, NULL);
}

void sim_tools_leave(struct simcuda_call *call, void *result) {
    if (call->subscriber && call->subscriber == atomic_load(&current) &&
        sim_tools_wants(call->domain, call->callback_id))
        report(call, call->subscriber, CUPTI_API_EXIT, result);
    thread_correlation_id = call->outer_correlation_id;
}

void sim_tools_resource(CUpti_CallbackIdResource callback_id, CUcontext context, CUstream stream) {
    const struct subscription *to = atomic_load(&current);
    if (!to || !sim_tools_wants(CUPTI_CB_DOMAIN_RESOURCE, callback_id)) return;
    CUpti_ResourceData data = {.context = context};
    data.resourceHandle.stream = stream;
    to->callback(to->userdata, CUPTI_CB_DOMAIN_RESOURCE, callback_id, &data);
}
