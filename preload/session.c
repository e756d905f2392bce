/*
 * What the session is right now, see session.h.
 */
#include "preload/session.h"

struct mt_session mt_session;

struct mt_trace *mt_session_trace(void) {
    return atomic_load_explicit(&mt_session.trace, memory_order_acquire);
}

bool mt_session_launch_stacks(void) {
    return mt_session.launch_stacks;
}

bool mt_session_may_call_cuda(void) {
    return atomic_load_explicit(&mt_session.phase, memory_order_relaxed) == MT_PHASE_LIVE;
}

uint32_t mt_session_api(unsigned entry) {
    return mt_session.api_ids[entry];
}
