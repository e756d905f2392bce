/*
 * Choosing the feed and changing it, see feed.h. Preloaded, the hooks are the default: an attached CUPTI makes each
 * launch of a graph pay for its nodes, takes device memory, and there is one for all tools of a process. CUPTI sees
 * every path into the driver, so it is taken where the hooks would miss some: nothing is preloaded, or the program
 * found cuInit in a way that they do not see. The hooks stand ready behind it in every preloaded process, because
 * programs look functions up once, at their start.
 */
#include "preload/feed.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "preload/cupti/feed.h"
#include "preload/guard.h"
#include "preload/hooks/bypass.h"
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
static bool checked; // MEMTRACE_FEED=both: the two are compared; likewise

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
    checked = check && may_step_aside;
    if (may_step_aside) atomic_store(&mt_hook_mode, checked ? MT_HOOKS_CHECK : MT_HOOKS_STAND_BY);
    atomic_store(&current, checked ? CURRENT_BOTH : CURRENT_CUPTI);
    fact(MT_FACT_FEED, checked ? "both (cupti recorded)" : "cupti");
    return true;
}

void mt_feed_start(enum mt_feed wanted, bool init_was_hooked) {
    static const char no_hooks[] = "symbol hooks need LD_PRELOAD";
    char why[512] = "";
    const char *foreign = mt_foreign_cuda_injection();
    may_step_aside = mt_hooks_in_place();
    fact(MT_FACT_ATTACHED, may_step_aside ? "preload" : "injection");
    if (wanted == MT_FEED_AUTO && may_step_aside && (init_was_hooked || foreign)) {
        // Where another tool is injected, CUPTI is its, whatever the hooks see.
        if (start_hooks()) return;
    } else if (wanted == MT_FEED_HOOKS) {
        if (start_hooks()) return;
        snprintf(why, sizeof why, "%s", no_hooks);
        fact(MT_FACT_FEED_REASON, why);
        if (start_cupti(false, why, sizeof why)) return;
    } else if (start_cupti(wanted == MT_FEED_BOTH, why, sizeof why)) {
        if (wanted == MT_FEED_AUTO && may_step_aside) {
            fact(MT_FACT_FEED_REASON, "the program found cuInit in a way that symbol hooks do not see");
        }
        return;
    }
    fact(MT_FACT_FEED_REASON, why);
    if (start_hooks()) return; // the report says so, and why: nothing is lost that was worth a line on stderr
    fact(MT_FACT_FEED, "none");
    mt_message("nothing is traced: %.300s, and %s", why, no_hooks);
}

struct hand_over {
    const char *why;
    bool cupti_lives; // and must be told
};

// From CUPTI to the hooks, in this order: no call is missed, and one that both see is recorded by the callback alone
// (hooks/call.h).
static void hand_over(void *argument) {
    const struct hand_over *asked = argument;
    enum current from = atomic_load(&current);
    if (!may_step_aside || (from != CURRENT_CUPTI && from != CURRENT_BOTH)) return;
    if (!atomic_compare_exchange_strong(&current, &from, CURRENT_HOOKS)) return;
    atomic_store(&mt_hook_mode, MT_HOOKS_RECORD);
    if (asked->cupti_lives) mt_cupti_feed_stop();
    char text[300];
    struct mt_trace *trace = mt_session_trace();
    snprintf(text, sizeof text, "from CUPTI to symbol hooks: %s", asked->why);
    const struct mt_event event = {.time_ns = mt_now_ns(), .stack = mt_unwind_stack(trace)};
    const struct mt_tagged tag = {MT_TAG_TEXT, mt_define_string(trace, text)};
    mt_write_event(mt_thread.lane, MT_EFFECT_HANDED_OVER, &event, &tag, 1);
}

void mt_feed_step_aside(const char *function) {
    char why[64];
    enum current from = atomic_load(&current);
    if (!may_step_aside || (from != CURRENT_CUPTI && from != CURRENT_BOTH)) return;
    snprintf(why, sizeof why, "%s was called", function);
    mt_guarded(hand_over, &(struct hand_over){why, true});
}

// CUPTI has gone and nobody is there to take over: what follows is missing, and nobody can count it. Inside the guard.
static void lose_feed(const char *why) {
    enum current from = CURRENT_CUPTI;
    if (!atomic_compare_exchange_strong(&current, &from, CURRENT_NONE)) return;
    fact(MT_FACT_FEED_LOST, why);
    mt_message("%s: what followed is not in the trace; with LD_PRELOAD it would be", why);
}

static void cupti_failed(void *why) {
    if (may_step_aside)
        hand_over(&(struct hand_over){why, false});
    else
        lose_feed(why);
}

void mt_feed_cupti_failed(const char *message) {
    char why[256];
    snprintf(why, sizeof why, "CUPTI gave up%s%.200s", *message ? ": " : "", message);
    mt_guarded(cupti_failed, why);
}

void mt_feed_cupti_was_silent(void) {
    if (atomic_load_explicit(&current, memory_order_relaxed) == CURRENT_HOOKS || mt_cupti_feed_lives()) return;
    hand_over(&(struct hand_over){"CUPTI was finalized", false});
}

void mt_feed_graph_instantiated(void) {
    static atomic_bool said;
    enum current now = atomic_load_explicit(&current, memory_order_relaxed);
    if ((now != CURRENT_CUPTI && now != CURRENT_BOTH) || atomic_exchange(&said, true)) return;
    mt_message(
        "CUPTI makes each launch of a graph slower while it is attached, by 0.2 to 0.4 us for each node on an H200; "
        "%s does not",
        may_step_aside ? "MEMTRACE_FEED=hooks" : "LD_PRELOAD");
}

void mt_feed_unseen(const char *what) {
    static atomic_bool said;
    if (atomic_load_explicit(&current, memory_order_relaxed) != CURRENT_HOOKS) return;
    // What was lost in another way is counted, and may be what was not seen.
    if (mt_trace_loss(mt_session_trace()).events || atomic_exchange(&said, true)) return;
    fact(MT_FACT_UNSEEN, what);
    mt_message("%s: the program has a way to the driver that goes past the hooks; MEMTRACE_FEED=cupti sees it", what);
}

void mt_feed_look_for_bypass(void) {
    char what[512], name[400];
    if (atomic_load(&current) != CURRENT_HOOKS || !mt_bypass_find(name, sizeof name)) return;
    snprintf(what, sizeof what, "%s calls the driver directly", name);
    mt_feed_unseen(what);
}

void mt_feed_exit_begins(void) {
    mt_feed_look_for_bypass();
    if (!may_step_aside && atomic_load(&current) == CURRENT_CUPTI && !mt_cupti_feed_lives()) {
        lose_feed("CUPTI was finalized by the program");
    }
}

void mt_feed_end(void) {
    char text[32];
    struct mt_hook_differences differences = mt_hook_differences();
    if (!checked) return;
    snprintf(text, sizeof text, "%" PRIu64, differences.only_cupti);
    fact(MT_FACT_ONLY_CUPTI, text);
    snprintf(text, sizeof text, "%" PRIu64, differences.only_hooks);
    fact(MT_FACT_ONLY_HOOKS, text);
}
