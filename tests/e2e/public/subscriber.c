/*
 * Public case (pytorch#117935, TensorRT-LLM#9073): another tool in the process uses CUPTI. It subscribes before the
 * driver is initialised (`before`) or between two allocations (`between`), and must be served as if it were alone: its
 * own callback sees the allocations that come after.
 */
#include <cupti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/coverage/driver.h"

static unsigned seen;

static void count(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data) {
    const CUpti_CallbackData *call = data;

    (void)user;
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API && id == CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2 &&
        call->callbackSite == CUPTI_API_EXIT)
        seen++;
}

static void subscribe(void) {
    static CUpti_SubscriberHandle subscriber;
    CUptiResult result = cuptiSubscribe(&subscriber, (CUpti_CallbackFunc)count, NULL);

    if (result == CUPTI_SUCCESS)
        result = cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
    if (result != CUPTI_SUCCESS) {
        fprintf(stderr, "the other tool's subscription answered %d\n", (int)result);
        exit(1);
    }
}

static void allocate(uint64_t bytes) {
    CUdeviceptr address;

    CU(cuMemAlloc(&address, bytes));
    ledger_plus(bytes, "device", "cuMemAlloc_v2");
    CU(cuMemFree(address));
    ledger_minus(bytes, "device", "cuMemFree_v2");
}

static int before(void) {
    subscribe();
    driver_open();
    allocate(1 * MIB);
    allocate(2 * MIB);
    ledger_fact("seen", seen);
    return 0;
}

static int between(void) {
    driver_open();
    allocate(1 * MIB);
    subscribe();
    allocate(2 * MIB);
    allocate(3 * MIB);
    ledger_fact("seen", seen);
    return 0;
}

static const struct ledger_row rows[] = {
    {"before", before},
    {"between", between},
};
LEDGER_MAIN(rows)
