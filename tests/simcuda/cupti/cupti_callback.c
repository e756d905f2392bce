// The callback part of the simulated libcupti: a thin layer over the driver's bridge, which does the calling back.
#include "tests/simcuda/bridge.h"
#include "tests/simcuda/cupti/library.h"
#include <cupti.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static CUptiResult check(CUpti_SubscriberHandle subscriber) {
    const struct simcuda_bridge *bridge = sim_cupti_bridge();
    if (!bridge) return CUPTI_ERROR_UNKNOWN;
    return bridge->is_subscriber(subscriber) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *userdata) {
    CUptiResult refusal = sim_cupti_refusal();
    if (refusal != CUPTI_SUCCESS) return refusal;
    if (!subscriber || !callback) return CUPTI_ERROR_INVALID_PARAMETER;
    const void *made = sim_cupti_bridge()->subscribe(callback, userdata);
    if (!made) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    *subscriber = (CUpti_SubscriberHandle)(uintptr_t)made;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *userdata,
                                     CUpti_SubscriberParams *pParams) {
    if (pParams && !pParams->structSize) return CUPTI_ERROR_INVALID_PARAMETER;
    return cuptiSubscribe(subscriber, callback, userdata);
}

EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
    const struct simcuda_bridge *bridge = sim_cupti_bridge();
    return bridge && bridge->unsubscribe(subscriber) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

// The ids of a domain are 1 to one less than this; 0: no such domain.
static uint32_t domain_size(CUpti_CallbackDomain domain) {
    switch (domain) {
    case CUPTI_CB_DOMAIN_DRIVER_API:
        return CUPTI_DRIVER_TRACE_CBID_SIZE;
    case CUPTI_CB_DOMAIN_RUNTIME_API:
        return CUPTI_RUNTIME_TRACE_CBID_SIZE;
    case CUPTI_CB_DOMAIN_RESOURCE:
        return CUPTI_CBID_RESOURCE_SIZE;
    case CUPTI_CB_DOMAIN_SYNCHRONIZE:
        return CUPTI_CBID_SYNCHRONIZE_SIZE;
    case CUPTI_CB_DOMAIN_NVTX:
        return 1024;
    case CUPTI_CB_DOMAIN_STATE:
        return CUPTI_CBID_STATE_SIZE;
    default:
        return 0;
    }
}

EXPORT CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                       CUpti_CallbackId cbid) {
    CUptiResult result = check(subscriber);
    if (result == CUPTI_SUCCESS && cbid >= domain_size(domain)) result = CUPTI_ERROR_INVALID_PARAMETER;
    if (result == CUPTI_SUCCESS) sim_cupti_bridge()->enable(domain, cbid, enable != 0);
    return result;
}

EXPORT CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain) {
    CUptiResult result = check(subscriber);
    if (result == CUPTI_SUCCESS && !domain_size(domain)) result = CUPTI_ERROR_INVALID_PARAMETER;
    for (uint32_t id = 1; result == CUPTI_SUCCESS && id < domain_size(domain); id++)
        sim_cupti_bridge()->enable(domain, id, enable != 0);
    return result;
}

EXPORT CUptiResult cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle subscriber) {
    CUptiResult result = CUPTI_SUCCESS;
    for (int domain = CUPTI_CB_DOMAIN_DRIVER_API; domain < CUPTI_CB_DOMAIN_SIZE && result == CUPTI_SUCCESS; domain++)
        result = cuptiEnableDomain(enable, subscriber, (CUpti_CallbackDomain)domain);
    return result;
}

EXPORT CUptiResult cuptiGetCallbackState(uint32_t *enable, CUpti_SubscriberHandle subscriber,
                                         CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
    CUptiResult result = check(subscriber);
    if (result == CUPTI_SUCCESS && (!enable || cbid >= domain_size(domain))) result = CUPTI_ERROR_INVALID_PARAMETER;
    if (result == CUPTI_SUCCESS) *enable = sim_cupti_bridge()->is_enabled(domain, cbid);
    return result;
}

EXPORT CUptiResult cuptiSupportedDomains(size_t *domainCount, CUpti_DomainTable *domainTable) {
    static CUpti_CallbackDomain domains[] = {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API,
                                             CUPTI_CB_DOMAIN_RESOURCE};
    if (!domainCount || !domainTable) return CUPTI_ERROR_INVALID_PARAMETER;
    *domainCount = sizeof(domains) / sizeof(*domains);
    *domainTable = domains;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid, const char **name) {
    if (!name) return CUPTI_ERROR_INVALID_PARAMETER;
    *name = sim_cupti_callback_name(domain, cbid);
    return *name ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

// As the real one: the subscriber is forgotten without a word, and its callbacks end; it may subscribe anew.
EXPORT CUptiResult cuptiFinalize(void) {
    const struct simcuda_bridge *bridge = sim_cupti_bridge();
    if (!bridge) return CUPTI_ERROR_UNKNOWN;
    bridge->finalize();
    return CUPTI_SUCCESS;
}
