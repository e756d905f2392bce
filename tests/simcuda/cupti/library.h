// What the files of the simulated libcupti share.
#ifndef SIM_CUPTI_LIBRARY_H
#define SIM_CUPTI_LIBRARY_H

#include "tests/simcuda/bridge.h"
#include <cupti_result.h>

// The simulated driver, loaded like the real one; NULL: there is none.
const struct simcuda_bridge *sim_cupti_bridge(void);
// What a client is refused with, by SIMCUDA_CUPTI or for want of a driver; CUPTI_SUCCESS: it isn't.
CUptiResult sim_cupti_refusal(void);
// Whether SIMCUDA_CUPTI asks for a fatal error, which comes when an activity kind is switched on.
bool sim_cupti_fails(void);
// The name of a driver or runtime function's callback id, or NULL.
const char *sim_cupti_callback_name(CUpti_CallbackDomain domain, uint32_t id);

#endif
