/*
 * Reconciling device memory; see hidden.h. A first replay keeps the account and finds its highest moment, a second one
 * stops there and composes the live set. At every measurement of the device
 *
 *     measured = others + traced + hidden + unexplained
 *
 * and what is missing on the right is the doing of the call that was measured. What turns out to be too much is taken
 * back from the latest calls: memory that another thread was just allocating or freeing is seen once too early, and
 * once too late.
 */
#include "viewer/analysis/hidden.h"

#include <stdlib.h>

#include "viewer/analysis/hidden_parts.h"
#include "viewer/base/memory.h"

struct watch {
    const struct mt_report *report;
    uint32_t device;
    struct mt_hidden_call *calls; // in order of time, those that ended taken out
    size_t count, capacity;
    uint64_t hidden;  // their sum
    int64_t moved;    // managed memory here beyond what was prefetched; below 0: so much less
    uint32_t context; // the latest
    bool green;       // the latest is a green one, which lives in its device's primary context
    struct mt_hidden now;
    struct mt_hidden *peak;
    bool second; // pass, which stops at the peak
};

static bool has_tag(const struct mt_record_event *event, enum mt_tag tag) {
    return event->present & (1u << tag);
}

static bool is_here(const struct watch *watch, const struct mt_record_event *event) {
    if (has_tag(event, MT_TAG_DEVICE)) return event->tags[MT_TAG_DEVICE] == watch->device;
    int64_t device = mt_definitions_context_device(watch->report->definitions, event->context);
    return (device > 0 ? (uint32_t)device : 0) == watch->device;
}

// What memory of this process is accounted for. All arithmetic is modulo 2^64, whatever a damaged trace holds.
static uint64_t accounted(const struct watch *watch, uint64_t traced) {
    return traced + watch->hidden + (uint64_t)watch->moved + (uint64_t)watch->now.unexplained;
}

static void add_call(struct watch *watch, const struct mt_record_event *event, enum mt_effect effect, uint64_t bytes) {
    mt_grow(&watch->calls, &watch->capacity, watch->count + 1);
    bool is_context = effect == MT_EFFECT_CONTEXT_CREATED && !watch->green;
    watch->calls[watch->count++] = (struct mt_hidden_call){
        .api = event->api,
        .stack = event->stack,
        .thread = event->thread,
        .context = is_context ? watch->context : event->context,
        .kernel = (uint32_t)event->tags[MT_TAG_KERNEL],
        .stream = event->stream,
        .effect = effect == MT_EFFECT_CONTEXT_CREATED && !is_context ? MT_EFFECT_SAMPLED : effect,
        .bytes = bytes,
    };
    watch->hidden += bytes;
}

// Takes bytes from the latest calls: for others, which they never were; or back, from contexts never. Returns what is
// left to take.
static uint64_t take(struct watch *watch, uint64_t bytes, bool for_others) {
    for (size_t i = watch->count; i-- > 0 && bytes;) {
        struct mt_hidden_call *call = &watch->calls[i];
        if (call->effect == MT_EFFECT_CONTEXT_CREATED && !for_others) continue;
        uint64_t part = call->bytes < bytes ? call->bytes : bytes;
        call->bytes -= part;
        if (!for_others) call->taken_back += part;
        watch->hidden -= part;
        bytes -= part;
    }
    return bytes;
}

// What looked like an allocation's, and is still there when that is gone, was the call's after all: the page of a
// module's variables, which small allocations shared. Returns what is left to give.
static uint64_t give_again(struct watch *watch, uint64_t bytes) {
    for (size_t i = watch->count; i-- > 0 && bytes;) {
        struct mt_hidden_call *call = &watch->calls[i];
        uint64_t part = call->taken_back < bytes ? call->taken_back : bytes;
        call->bytes += part;
        call->taken_back -= part;
        watch->hidden += part;
        bytes -= part;
    }
    return bytes;
}

static bool is_negative(uint64_t bytes) {
    return (int64_t)bytes < 0;
}

// Managed memory on the device is no less than nothing and no more than there is.
static uint64_t managed_here(struct watch *watch, const struct mt_ledgers *ledgers) {
    int64_t prefetched = (int64_t)mt_ledgers_device(ledgers, watch->device)->migrated, all = (int64_t)ledgers->managed;
    if (prefetched + watch->moved > all) watch->moved = all - prefetched;
    if (prefetched + watch->moved < 0) watch->moved = -prefetched;
    return (uint64_t)(prefetched + watch->moved);
}

// Managed memory came or went unseen, as far as that can be. Returns what is left to explain.
static uint64_t lay_to_managed(struct watch *watch, const struct mt_ledgers *ledgers, uint64_t missing) {
    uint64_t here = managed_here(watch, ledgers), away = ledgers->managed > here ? ledgers->managed - here : 0;
    uint64_t most = is_negative(missing) ? here : away, size = is_negative(missing) ? 0 - missing : missing;
    uint64_t part = size < most ? size : most;
    if (is_negative(missing)) part = 0 - part;
    watch->moved += (int64_t)part;
    return missing - part;
}

static void explain_not(struct watch *watch, uint64_t bytes) {
    watch->now.unexplained = (int64_t)((uint64_t)watch->now.unexplained + bytes);
}

static const struct mt_api *call_of(const struct watch *watch, const struct mt_record_event *event) {
    return mt_definitions_api(watch->report->definitions, event->api);
}

// A call took bytes, or gave some back that calls had taken before. Returns what they never had.
static uint64_t lay_to_call(struct watch *watch, const struct mt_record_event *event, const struct mt_ledgers *ledgers,
                            uint64_t missing) {
    if (is_negative(missing) || call_of(watch, event)->effect != MT_EFFECT_CONTEXT_CREATED)
        missing = lay_to_managed(watch, ledgers, missing);
    if (is_negative(missing)) return 0 - take(watch, 0 - missing, false);
    if (missing) add_call(watch, event, call_of(watch, event)->effect, missing);
    return 0;
}

static void on_device_sample(struct watch *watch, const struct mt_record_event *event,
                             const struct mt_ledgers *ledgers) {
    uint64_t traced = mt_ledgers_taken(ledgers, watch->device);
    uint64_t before = event->tags[MT_TAG_BEFORE];
    if (!watch->now.samples && before) {
        watch->now.others = (int64_t)before;
        watch->now.others_known = true;
    }
    uint64_t missing = event->tags[MT_TAG_USED] - (uint64_t)watch->now.others - accounted(watch, traced);
    if (call_of(watch, event)) {
        missing = lay_to_call(watch, event, ledgers, missing);
    } else if (watch->now.own) {
        watch->now.others = (int64_t)((uint64_t)watch->now.others + missing); // until the next figure of its own
        missing = 0;
    } else {
        if (!is_negative(missing)) missing = give_again(watch, missing);
        missing = lay_to_managed(watch, ledgers, missing);
    }
    explain_not(watch, missing); // what no call did, happened unseen
}

// The first figure of this process alone tells what others have; each later one, what its call did, or what is
// unexplained.
static void on_own_sample(struct watch *watch, const struct mt_record_event *event, const struct mt_ledgers *ledgers) {
    uint64_t traced = mt_ledgers_taken(ledgers, watch->device);
    uint64_t missing = event->tags[MT_TAG_USED] - accounted(watch, traced);
    watch->now.others = (int64_t)(has_tag(event, MT_TAG_VALUE) ? event->tags[MT_TAG_VALUE] - event->tags[MT_TAG_USED]
                                                               : (uint64_t)watch->now.others - missing);
    if (watch->now.own) {
        if (call_of(watch, event))
            missing = lay_to_call(watch, event, ledgers, missing);
        else if (!is_negative(missing))
            missing = give_again(watch, missing);
        missing = lay_to_managed(watch, ledgers, missing);
    } else if (is_negative(missing)) {
        // What the highest moment so far held of others' does not count against later ones, nor against this one.
        if (!watch->second) watch->peak->in_use = (int64_t)((uint64_t)watch->peak->in_use + missing - 1);
        missing = 0 - take(watch, 0 - missing, true);
    }
    explain_not(watch, missing);
    watch->now.own = watch->now.others_known = true;
}

// Context 0: all of the device's.
static void end_context(struct watch *watch, uint32_t context) {
    size_t kept = 0;
    for (size_t i = 0; i < watch->count; i++) {
        if (!context || watch->calls[i].context == context)
            watch->hidden -= watch->calls[i].bytes;
        else
            watch->calls[kept++] = watch->calls[i];
    }
    watch->count = kept;
}

static void follow(struct watch *watch, const struct mt_record_event *event, const struct mt_ledgers *ledgers) {
    if (!is_here(watch, event)) return;
    uint32_t context = (uint32_t)(has_tag(event, MT_TAG_CONTEXT) ? event->tags[MT_TAG_CONTEXT] : event->context);
    switch (event->effect) {
    case MT_EFFECT_CONTEXT_CREATED:
        watch->green = !context;
        if (context) watch->context = context;
        break;
    case MT_EFFECT_CONTEXT_ENDED:
        if (context) end_context(watch, context);
        break;
    case MT_EFFECT_DEVICE_RESET:
        end_context(watch, has_tag(event, MT_TAG_CONTEXT) ? context : 0);
        break;
    case MT_EFFECT_SAMPLED:
        if (event->tags[MT_TAG_SAMPLE_SOURCE] == MT_SAMPLE_PROCESS)
            on_own_sample(watch, event, ledgers);
        else
            on_device_sample(watch, event, ledgers);
        watch->now.samples++;
        break;
    default:
        break;
    }
}

static void compose(struct watch *watch, const struct mt_model *model, struct mt_hidden *out) {
    *out = watch->now;
    out->traced = mt_ledgers_taken(mt_model_ledgers(model), watch->device);
    out->imported = mt_ledgers_device(mt_model_ledgers(model), watch->device)->imported.bytes;
    mt_hidden_compose(watch->report, model, watch->device, watch->moved, out);
    for (size_t i = 0; i < watch->count; i++)
        if (watch->calls[i].bytes) mt_hidden_add_call(watch->report, &watch->calls[i], out);
    mt_parts_sort(&out->hidden);
}

// Whether more is in use than at another moment. An allocator first takes memory and then hands it out: that is the
// higher of two moments with as much in use.
static bool is_higher(const struct mt_hidden *now, const struct mt_hidden *than) {
    if (now->in_use != than->in_use) return now->in_use > than->in_use;
    return now->handed_out > than->handed_out;
}

static int observe(void *user, const struct mt_model *model, const struct mt_change *change) {
    struct watch *watch = user;
    const struct mt_ledgers *ledgers = mt_model_ledgers(model);
    uint64_t traced = mt_ledgers_taken(ledgers, watch->device);
    managed_here(watch, ledgers);
    follow(watch, change->event, ledgers);
    watch->now.index = change->index;
    watch->now.time_ns = change->event->time_ns;
    watch->now.in_use = (int64_t)accounted(watch, traced);
    watch->now.handed_out = mt_ledgers_device(ledgers, watch->device)->ledgers[MT_LEDGER_ALLOCATOR].bytes;
    if (!watch->second) {
        if (is_higher(&watch->now, watch->peak)) *watch->peak = watch->now;
        return 0;
    }
    if (change->index < watch->peak->index || is_higher(watch->peak, &watch->now)) return 0;
    compose(watch, model, watch->peak);
    return 1;
}

static void replay(struct watch *watch, struct mt_hidden *end) {
    mt_report_replay(watch->report, observe, watch);
    if (end) compose(watch, watch->report->end, end);
    free(watch->calls);
}

void mt_hidden_find(const struct mt_report *report, uint32_t device, struct mt_hidden *peak, struct mt_hidden *end) {
    *peak = *end = (struct mt_hidden){0};
    replay(&(struct watch){.report = report, .device = device, .peak = peak}, end);
    replay(&(struct watch){.report = report, .device = device, .peak = peak, .second = true}, NULL);
}

void mt_hidden_clear(struct mt_hidden *hidden) {
    mt_parts_clear(&hidden->allocations);
    mt_parts_clear(&hidden->hidden);
}
