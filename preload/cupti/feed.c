/*
 * The CUPTI feed, see cupti/feed.h. The callback runs inside each driver call, before and after it, on the program's
 * thread: before, it notes the time where the table wants it; after, it hands the call to its effect function.
 */
#include "preload/cupti/feed.h"

#include <cupti.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "preload/cupti/ids.h"
#include "preload/cupti/library.h"
#include "preload/entry_table.h"
#include "preload/feed.h"
#include "preload/guard.h"
#include "preload/hooks/call.h"
#include "preload/session.h"
#include "preload/unwind.h"
#include "tracer/facts.h"

static struct mt_cupti cupti;
static CUpti_SubscriberHandle subscriber;
// Row + 1 of each callback id, 0 for those that are not ours. Written before callbacks are enabled, constant
// afterwards.
static uint16_t row_of_callback[MT_CUPTI_ID_BOUND];

struct seen {
    struct mt_call call;
    bool hooked; // a hook sees it, too
};

static void handle(void *argument) {
    const struct seen *seen = argument;
    mt_entry_points[seen->call.entry].effect(&seen->call);
    if (!seen->hooked) mt_hook_missed();
}

// CUPTI's own state, which it tells of since CUDA 12. The numbers and the layout are those of cupti_callbacks.h.
#define STATE_DOMAIN      ((CUpti_CallbackDomain)6)
#define STATE_FATAL_ERROR 1
struct state_data {
    CUptiResult result;
    const char *message;
};

static void CUPTIAPI on_callback(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data) {
    (void)user;
    const CUpti_CallbackData *callback = data;
    if (domain == STATE_DOMAIN && id == STATE_FATAL_ERROR) {
        const char *message = data ? ((const struct state_data *)data)->message : NULL;
        mt_feed_cupti_failed(message ? message : "");
        return;
    }
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API || id >= MT_CUPTI_ID_BOUND || !row_of_callback[id]) return;
    unsigned row = row_of_callback[id] - 1u;
    const struct mt_entry_point *entry = &mt_entry_points[row];
    if (callback->callbackSite == CUPTI_API_ENTER) {
        *callback->correlationData = entry->stamped ? mt_now_ns() : 0;
        if (mt_entry_before(row)) mt_entry_begin(row, callback->functionParams);
        return;
    }
    struct seen seen = {
        .call =
            {
                .entry = row,
                .params = callback->functionParams,
                .result = *(const CUresult *)callback->functionReturnValue,
                .enter_ns = *callback->correlationData,
                .context = callback->context,
                .symbol = callback->symbolName,
                .per_thread_stream = entry->per_thread_stream,
            },
    };
    seen.hooked = mt_hook_seen_by_cupti(&seen.call);
    if (mt_entry_matters(row)) mt_guarded(handle, &seen);
}

// An older libcupti refuses ids that it does not know; those calls are left to the hooks.
static unsigned enable_all(void) {
    unsigned enabled = 0;
    for (unsigned row = 0; row < MT_ENTRY_COUNT; row++) {
        uint32_t id = mt_entry_points[row].cbid;
        row_of_callback[id] = (uint16_t)(row + 1);
        bool known = cupti.enable_callback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id) == CUPTI_SUCCESS;
        mt_hook_uncovered[row] = !known;
        if (known) enabled++;
    }
    cupti.enable_callback(1, subscriber, STATE_DOMAIN, STATE_FATAL_ERROR);
    return enabled;
}

int mt_cupti_feed_start(char *why, size_t why_bytes) {
    char path[PATH_MAX];
    if (mt_cupti_library_open(&cupti, path, sizeof path) != 0) {
        snprintf(why, why_bytes, "no libcupti was found");
        return -1;
    }
    CUptiResult result = cupti.subscribe(&subscriber, on_callback, NULL);
    if (result != CUPTI_SUCCESS) {
        const char *text = NULL;
        if (cupti.get_result_string) cupti.get_result_string(result, &text);
        snprintf(why, why_bytes, "cuptiSubscribe of %.200s failed with %d%s%.80s", path, (int)result, text ? ", " : "",
                 text ? text : "");
        return -1;
    }
    if (enable_all() == 0) {
        memset(mt_hook_uncovered, 0, sizeof mt_hook_uncovered);
        cupti.unsubscribe(subscriber);
        snprintf(why, why_bytes, "%.200s enables no driver callback", path);
        return -1;
    }
    mt_unwind_trim_module((const void *)cupti.subscribe);
    mt_define_fact(mt_session_trace(), MT_FACT_CUPTI, path);
    return 0;
}

bool mt_cupti_feed_lives(void) {
    uint32_t enabled;
    return !cupti.get_callback_state ||
           cupti.get_callback_state(&enabled, subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
                                    CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2) == CUPTI_SUCCESS;
}

void mt_cupti_feed_stop(void) {
    cupti.unsubscribe(subscriber);
}
