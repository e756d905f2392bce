// Callbacks to the CUPTI subscriber. Called with no lock held: a callback may call any driver function.
#ifndef SIM_TOOLS_H
#define SIM_TOOLS_H

#include "tests/simcuda/bridge.h"

// True if the subscriber wants to hear of that callback id. Cheap, for the fast path.
bool sim_tools_wants(CUpti_CallbackDomain domain, uint32_t callback_id);
// The start and the end of a call. `call` is filled in but for correlation_* and subscriber.
void sim_tools_enter(struct simcuda_call *call);
void sim_tools_leave(struct simcuda_call *call, void *result);
// Something of the resource domain happened.
void sim_tools_resource(CUpti_CallbackIdResource callback_id, CUcontext context, CUstream stream);

const void *sim_tools_subscribe(CUpti_CallbackFunc callback, void *userdata);
bool sim_tools_unsubscribe(const void *subscriber);
// Whoever has subscribed is forgotten, and may subscribe again.
void sim_tools_finalize(void);
// Likewise, after telling the subscriber why.
void sim_tools_fail(CUptiResult result, const char *message);
bool sim_tools_is_subscriber(const void *subscriber);
void sim_tools_enable(CUpti_CallbackDomain domain, uint32_t callback_id, bool on);

#endif
