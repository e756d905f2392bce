// What libcupti and libcudart reach this library by.
#include "tests/simcuda/bridge.h"
#include "tests/simcuda/driver/context.h"
#include "tests/simcuda/driver/module.h"
#include "tests/simcuda/driver/stream.h"
#include "tests/simcuda/driver/tools.h"

static bool context_uid(CUcontext context, uint32_t *uid) {
    return sim_context_identify(context, uid, NULL);
}

static bool context_device(CUcontext context, uint32_t *device) {
    return sim_context_identify(context, NULL, device);
}

static const struct simcuda_bridge bridge = {
    .subscribe = sim_tools_subscribe,
    .unsubscribe = sim_tools_unsubscribe,
    .finalize = sim_tools_finalize,
    .fail = sim_tools_fail,
    .is_subscriber = sim_tools_is_subscriber,
    .enable = sim_tools_enable,
    .is_enabled = sim_tools_wants,
    .context_uid = context_uid,
    .context_device = context_device,
    .stream_id = sim_stream_identify,
    .enter = sim_tools_enter,
    .leave = sim_tools_leave,
    .kernel_name = sim_kernel_name,
};

const struct simcuda_bridge *simcuda_bridge(void) {
    return &bridge;
}
