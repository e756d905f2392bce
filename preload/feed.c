/*
 * Choosing the feed and changing it, see feed.h. CUPTI is the default, since it sees every path into the driver; the
 * hooks stand ready behind it in every preloaded process, because programs look functions up once, at their start.
 */
#include "preload/feed.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "preload/cupti/feed.h"
#include "preload/guard.h"
#include "preload/hooks/call.h"
#include "preload/hooks/table.h"
#include "preload/loading.h"
#include "preload/message.h"
#include "preload/session.h"
#include "preload/unwind.h"
#include "tracer/facts.h"

enum current { CURRENT_NONE, CURRENT_CUPTI, CURRENT_BOTH, CURRENT_HOOKS };
static _Atomic(enum current) current;
// Written before `current`, constant afterwards. Even who asked for CUPTI does not want the program's own use of it
// broken.
static bool may_step_aside;

static void fact(const char *key, const char *value) {
    mt_define_fact(mt_session_trace(), key, value);
}

static bool start_hooks(void) {
    if (!mt_hooks_in_place()) return false;
    atomic_store(&mt_hook_mode, MT_HOOKS_RECORD);
    atomic_store(&current, CURRENT_HOOKS);
    fact(MT_FACT_FEED, "hooks");
    return true;
}

static bool start_cupti(bool check, char *why, size_t why_bytes) {
    if (mt_cupti_feed_start(why, why_bytes) != 0) return false;
    check = check && mt_hooks_in_place();
    atomic_store(&mt_hook_mode, check ? MT_HOOKS_CHECK : MT_HOOKS_IDLE);
    atomic_store(&current, check ? CURRENT_BOTH : CURRENT_CUPTI);
    fact(MT_FACT_FEED, check ? "both (cupti recorded)" : "cupti");
    return true;
}

void mt_feed_start(enum mt_feed wanted) {
    static const char no_hooks[] = "symbol hooks need LD_PRELOAD";
    char why[512] = "";
    const char *foreign = mt_foreign_cuda_injection();
    may_step_aside = mt_hooks_in_place();
    fact(MT_FACT_ATTACHED, may_step_aside ? "preload" : "injection");
    if (foreign && wanted == MT_FEED_AUTO) {
        // Where another tool is injected, CUPTI is its: it may want to subscribe later than we could.
        mt_message("CUDA_INJECTION64_PATH is %.200s, so CUPTI is left to that; tracing by symbol hooks", foreign);
        snprintf(why, sizeof why, "CUDA_INJECTION64_PATH is %.400s", foreign);
    } else if (wanted == MT_FEED_HOOKS) {
        if (start_hooks()) return;
        snprintf(why, sizeof why, "%s", no_hooks);
        fact(MT_FACT_FEED_REASON, why);
        if (start_cupti(false, why, sizeof why)) return;
    } else if (start_cupti(wanted == MT_FEED_BOTH, why, sizeof why)) {
        return;
    }
    fact(MT_FACT_FEED_REASON, why);
    if (start_hooks()) return; // the report says so, and why: nothing is lost that was worth a line on stderr
    fact(MT_FACT_FEED, "none");
    mt_message("nothing is traced: %.300s, and %s", why, no_hooks);
}

// From CUPTI to the hooks, in this order: no call is missed, and one that both see is recorded by the callback alone
// (hooks/call.h).
static void hand_over(void *function) {
    enum current from = atomic_load(&current);
    if (from == CURRENT_HOOKS || !atomic_compare_exchange_strong(&current, &from, CURRENT_HOOKS)) return;
    atomic_store(&mt_hook_mode, MT_HOOKS_RECORD);
    mt_cupti_feed_stop();
    char text[128];
    struct mt_trace *trace = mt_session_trace();
    snprintf(text, sizeof text, "from CUPTI to symbol hooks: %s was called", (const char *)function);
    const struct mt_event event = {.time_ns = mt_now_ns(), .stack = mt_unwind_stack(trace)};
    const struct mt_tagged tag = {MT_TAG_TEXT, mt_define_string(trace, text)};
    mt_write_event(mt_thread.stream, MT_EFFECT_HANDED_OVER, &event, &tag, 1);
}

void mt_feed_step_aside(const char *function) {
    enum current from = atomic_load(&current);
    if (!may_step_aside || (from != CURRENT_CUPTI && from != CURRENT_BOTH)) return;
    mt_guarded(hand_over, (void *)(uintptr_t)function);
}

void mt_feed_end(void) {
    char text[32];
    if (atomic_load(&current) != CURRENT_BOTH) return;
    struct mt_hook_differences differences = mt_hook_differences();
    snprintf(text, sizeof text, "%" PRIu64, differences.only_cupti);
    fact(MT_FACT_ONLY_CUPTI, text);
    snprintf(text, sizeof text, "%" PRIu64, differences.only_hooks);
    fact(MT_FACT_ONLY_HOOKS, text);
}
