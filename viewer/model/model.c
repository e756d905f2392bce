/*
 * The live set and its ledgers; see model.h. Each kind of effect has one handler in a table; handlers only start and
 * end allocations, and the ledgers follow from that.
 */
#include "viewer/model/model.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/base/hash.h"
#include "viewer/base/memory.h"
#include "viewer/frameworks/callers.h"
#include "viewer/model/graphs.h"

struct mt_model {
    const struct mt_definitions *definitions;
    const struct mt_segments *segments;
    struct mt_live *live;
    struct mt_ledgers ledgers;
    struct mt_marks marks;
    struct mt_ranges mappings; // value: the mapped object
    struct mt_ranges managed;  // value: where the live allocation begins
    struct mt_ranges migrated; // of them, in whole pages; value: the device that they were told to move to
    struct mt_callers callers;
    struct mt_graphs graphs;
    uint64_t unplaced;        // the address of the last allocation that did not name its pool …
    uint32_t unplaced_thread; // … and its thread; 0: none
    uint64_t events;
};

// One event on its way through the model.
struct step {
    struct mt_model *model;
    const struct mt_record_event *event;
    uint32_t cause; // thread
    mt_observer_fn *observer;
    void *user;
    bool told;
    int stop;
};

static bool has_tag(const struct mt_record_event *event, enum mt_tag tag) {
    return event->present & (1u << tag);
}

static void tell(struct step *step, enum mt_change_kind kind, const struct mt_live *live, bool implied) {
    struct mt_change change = {
        .event = step->event,
        .index = step->model->events,
        .cause = step->cause,
        .kind = kind,
        .live = live,
        .implied = implied,
    };
    step->told = true;
    if (!step->stop && step->observer) step->stop = step->observer(step->user, step->model, &change);
}

static struct mt_live *find_live(const struct mt_model *model, enum mt_space space, uint64_t identity) {
    struct mt_live_key key = {.identity = identity, .space = space};
    struct mt_live *live;
    HASH_FIND(hh, model->live, &key, sizeof(key), live);
    return live;
}

// What of managed memory was told to move to a device is there no longer.
static void move_away(struct mt_model *model, uint64_t start, uint64_t bytes) {
    struct mt_range range;
    while (mt_ranges_take(&model->migrated, start, bytes, &range)) {
        mt_ledgers_migrated(&model->ledgers, (uint32_t)range.value, range.end - range.start, false);
        struct mt_range rest[] = {{range.start, start, range.value}, {start + bytes, range.end, range.value}};
        for (size_t i = 0; i < 2; i++) {
            if (rest[i].start >= rest[i].end) continue;
            mt_ranges_add(&model->migrated, rest[i].start, rest[i].end - rest[i].start, range.value);
            mt_ledgers_migrated(&model->ledgers, (uint32_t)range.value, rest[i].end - rest[i].start, true);
        }
    }
}

// The pages that [*start, end) touches move whole.
static uint64_t whole_pages(uint64_t *start, uint64_t end) {
    *start -= *start % MT_DEVICE_PAGE;
    return end > *start ? mt_whole_pages(end - *start) : MT_DEVICE_PAGE;
}

static void end_managed(struct mt_model *model, const struct mt_live *live) {
    struct mt_range range;
    uint64_t start = live->key.identity, bytes = whole_pages(&start, start + live->bytes);
    mt_ranges_take(&model->managed, live->key.identity, 1, &range);
    move_away(model, start, bytes);
}

static void end_live(struct step *step, struct mt_live *live, bool implied) {
    if (live->memory == MT_MEMORY_MANAGED) end_managed(step->model, live);
    HASH_DEL(step->model->live, live);
    mt_ledgers_remove(&step->model->ledgers, live);
    tell(step, MT_CHANGE_FREED, live, implied);
    free(live);
}

static bool is_segment(const struct mt_model *model, uint64_t index) {
    if (!model->segments) return false;
    size_t low = 0, high = model->segments->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (model->segments->indices[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < model->segments->count && model->segments->indices[low] == index;
}

static enum mt_memory memory_of(const struct step *step) {
    if (has_tag(step->event, MT_TAG_MEMORY)) return (enum mt_memory)step->event->tags[MT_TAG_MEMORY];
    const struct mt_api *api = mt_definitions_api(step->model->definitions, step->event->api);
    return api ? api->memory : MT_MEMORY_NONE;
}

#define LOCATION_DEVICE 1 // CU_MEM_LOCATION_TYPE_DEVICE, cuda.h

static enum mt_ledger ledger_of(enum mt_memory memory, const struct mt_record_event *event) {
    switch (memory) {
    case MT_MEMORY_POOL:
    case MT_MEMORY_TENSOR:
        return MT_LEDGER_ALLOCATOR;
    case MT_MEMORY_MANAGED:
    case MT_MEMORY_PINNED:
    case MT_MEMORY_REGISTERED:
        return MT_LEDGER_HOST;
    case MT_MEMORY_ADDRESS:
    case MT_MEMORY_IMPORTED:
    case MT_MEMORY_TENSOR_CPU:
        return MT_LEDGER_NONE;
    default:
        break;
    }
    bool elsewhere = has_tag(event, MT_TAG_LOCATION) && event->tags[MT_TAG_LOCATION] != LOCATION_DEVICE;
    return elsewhere ? MT_LEDGER_HOST : MT_LEDGER_PHYSICAL;
}

static struct mt_live_key key_of(const struct step *step, enum mt_memory memory) {
    const struct mt_record_event *event = step->event;
    switch (memory) {
    case MT_MEMORY_TENSOR:
        return (struct mt_live_key){event->address, MT_SPACE_TENSOR};
    case MT_MEMORY_TENSOR_CPU:
        return (struct mt_live_key){event->address, MT_SPACE_TENSOR_CPU};
    case MT_MEMORY_ADDRESS:
        return (struct mt_live_key){event->address, MT_SPACE_RESERVED};
    default:
        break;
    }
    if (has_tag(event, MT_TAG_OBJECT)) return (struct mt_live_key){event->tags[MT_TAG_OBJECT], MT_SPACE_OBJECT};
    return (struct mt_live_key){event->address, MT_SPACE_ADDRESS};
}

static uint32_t device_of(const struct step *step) {
    const struct mt_record_event *event = step->event;
    if (has_tag(event, MT_TAG_DEVICE) && event->tags[MT_TAG_DEVICE] <= MT_HIGHEST_DEVICE)
        return (uint32_t)event->tags[MT_TAG_DEVICE];
    int64_t device = mt_definitions_context_device(step->model->definitions, event->context);
    return device >= 0 && device <= MT_HIGHEST_DEVICE ? (uint32_t)device : 0;
}

// A thread of PyTorch's own is where its caller is.
static struct mt_mark mark_of(const struct mt_marks *marks, uint32_t thread, uint32_t cause) {
    struct mt_mark mark = mt_marks_now(marks, thread);
    if (!mark.phase && cause != thread) mark.phase = mt_marks_now(marks, cause).phase;
    return mark;
}

static void start_live(struct step *step, enum mt_memory memory) {
    const struct mt_record_event *event = step->event;
    struct mt_live_key key = key_of(step, memory);
    if (key.identity == 0) return; // nothing was handed out: zero bytes were asked for
    struct mt_live *old = find_live(step->model, (enum mt_space)key.space, key.identity);
    if (old) end_live(step, old, true); // its end was not seen
    if (key.space == MT_SPACE_ADDRESS) mt_graphs_forget(&step->model->graphs, key.identity);

    struct mt_mark mark = mark_of(&step->model->marks, event->thread, step->cause);
    struct mt_live *live = mt_allocate(sizeof(*live));
    *live = (struct mt_live){
        .key = key,
        .bytes = event->bytes,
        .taken = has_tag(event, MT_TAG_TAKEN) ? event->tags[MT_TAG_TAKEN] : event->bytes,
        .index = step->model->events,
        .time_ns = event->time_ns,
        .stream = event->stream,
        .api = event->api,
        .stack = event->stack,
        .thread = event->thread,
        .context = event->context,
        .device = device_of(step),
        .references = 1,
        .phase = mark.phase,
        .label = mark.label,
        .pool = event->tags[MT_TAG_POOL],
        .memory = memory,
        .ledger = ledger_of(memory, event),
        .segment = is_segment(step->model, step->model->events),
    };
    HASH_ADD(hh, step->model->live, key, sizeof(live->key), live);
    if (memory == MT_MEMORY_MANAGED) mt_ranges_add(&step->model->managed, key.identity, live->bytes, key.identity);
    mt_ledgers_add(&step->model->ledgers, live, (struct mt_moment){live->index, live->time_ns, live->stack});
    tell(step, MT_CHANGE_ALLOCATED, live, false);
}

static void on_allocated(struct step *step) {
    enum mt_memory memory = memory_of(step);
    start_live(step, memory);
    if (memory != MT_MEMORY_POOL || step->event->tags[MT_TAG_POOL]) return;
    step->model->unplaced = step->event->address;
    step->model->unplaced_thread = step->event->thread;
}

static void on_freed(struct step *step) {
    struct mt_live_key key = key_of(step, memory_of(step));
    if (key.identity == 0) return; // freeing nothing is allowed
    struct mt_live *live = find_live(step->model, (enum mt_space)key.space, key.identity);
    if (live)
        end_live(step, live, false);
    else if (key.space != MT_SPACE_ADDRESS || !mt_graphs_find(&step->model->graphs, key.identity))
        tell(step, MT_CHANGE_UNKNOWN_FREE, NULL, false);
}

// Memory of the C library's may be told to move too: nothing tells when that ends, so it is left alone.
static void on_migrated(struct step *step) {
    const struct mt_record_event *event = step->event;
    struct mt_model *model = step->model;
    const struct mt_range *managed = mt_ranges_find(&model->managed, event->address);
    if (!managed || !event->bytes) return;
    uint64_t start = event->address;
    uint64_t end = event->bytes < managed->end - start ? start + event->bytes : managed->end;
    uint64_t bytes = whole_pages(&start, end);
    move_away(model, start, bytes);
    if (!has_tag(event, MT_TAG_DEVICE)) return;
    mt_ranges_add(&model->migrated, start, bytes, device_of(step));
    mt_ledgers_migrated(&model->ledgers, device_of(step), bytes, true);
}

static void on_captured(struct step *step) {
    mt_graphs_captured(&step->model->graphs, step->event, device_of(step));
}

// What a launched graph allocated lies in the memory that graphs share, which is counted as such.
static void on_graph_change(void *user, uint64_t address, const struct mt_graph_node *node) {
    struct step *step = user;
    struct mt_live *live = find_live(step->model, MT_SPACE_ADDRESS, address);
    if (live) end_live(step, live, false);
    if (!node) return;
    live = mt_allocate(sizeof(*live));
    *live = (struct mt_live){
        .key = {address, MT_SPACE_ADDRESS},
        .bytes = node->bytes,
        .taken = node->bytes,
        .index = step->model->events,
        .time_ns = step->event->time_ns,
        .stream = step->event->stream,
        .api = node->api,
        .stack = node->stack,
        .thread = node->thread,
        .context = step->event->context,
        .device = node->device,
        .references = 1,
        .memory = MT_MEMORY_GRAPH,
        .ledger = MT_LEDGER_NONE,
    };
    HASH_ADD(hh, step->model->live, key, sizeof(live->key), live);
    tell(step, MT_CHANGE_ALLOCATED, live, false);
}

static void on_graph(struct step *step) {
    mt_graphs_step(&step->model->graphs, step->event, on_graph_change, step);
}

#define RESULT_INVALID_CONTEXT 201 // CUDA_ERROR_INVALID_CONTEXT, cuda.h

// On a thread without a current context, the runtime's cudaMallocAsync asks the driver first, is refused, makes the
// context current and asks again (seen on an H200): the program never hears of the first answer.
static bool is_asked_again(const struct step *step) {
    const struct mt_record_event *event = step->event;
    return memory_of(step) == MT_MEMORY_POOL && event->tags[MT_TAG_RESULT] == RESULT_INVALID_CONTEXT && !event->context;
}

#define RESULT_DEINITIALIZED 4 // CUDA_ERROR_DEINITIALIZED, cuda.h

static void on_failed(struct step *step) {
    struct mt_live *live = step->event->tags[MT_TAG_RESULT] == RESULT_DEINITIALIZED
                               ? find_live(step->model, MT_SPACE_ADDRESS, step->event->address)
                               : NULL;
    if (live) live->late = true;
    if (!is_asked_again(step)) tell(step, MT_CHANGE_FAILED, NULL, false);
}

static void on_reserved(struct step *step) {
    start_live(step, MT_MEMORY_ADDRESS);
}

static void on_unreserved(struct step *step) {
    struct mt_live *live = find_live(step->model, MT_SPACE_RESERVED, step->event->address);
    if (live) end_live(step, live, false);
}

static void on_imported(struct step *step) {
    // A handle that came back to the process that made it is one reference more to the same memory.
    struct mt_live *live = find_live(step->model, MT_SPACE_OBJECT, step->event->tags[MT_TAG_OBJECT]);
    if (live)
        live->references++;
    else
        start_live(step, MT_MEMORY_IMPORTED);
}

// A handle may keep it alive in another process, and lets that write into it.
static void on_exported(struct step *step) {
    bool is_object = has_tag(step->event, MT_TAG_OBJECT);
    struct mt_live *live = is_object ? find_live(step->model, MT_SPACE_OBJECT, step->event->tags[MT_TAG_OBJECT])
                                     : find_live(step->model, MT_SPACE_ADDRESS, step->event->address);
    if (!live || live->exported) return;
    live->exported = true;
    mt_ledgers_export(&step->model->ledgers, live,
                      (struct mt_moment){step->model->events, step->event->time_ns, step->event->stack});
}

// A VMM allocation ends with its last reference and mapping; which of the two comes last differs between programs.
static void end_if_unused(struct step *step, struct mt_live *live) {
    if (live->references == 0 && live->mappings == 0) end_live(step, live, false);
}

static void on_retained(struct step *step) {
    struct mt_live *live = find_live(step->model, MT_SPACE_OBJECT, step->event->tags[MT_TAG_OBJECT]);
    if (live) live->references++;
}

static void on_released(struct step *step) {
    struct mt_live *live = find_live(step->model, MT_SPACE_OBJECT, step->event->tags[MT_TAG_OBJECT]);
    if (!live) return;
    if (live->references) live->references--;
    end_if_unused(step, live);
}

static void on_unmapped(struct step *step) {
    struct mt_range range;
    while (mt_ranges_take(&step->model->mappings, step->event->address, step->event->bytes, &range)) {
        struct mt_live *live = find_live(step->model, MT_SPACE_OBJECT, range.value);
        if (!live || live->mappings == 0) continue;
        live->mappings--;
        end_if_unused(step, live);
    }
}

static void on_mapped(struct step *step) {
    on_unmapped(step); // whatever was there is gone, seen or not
    uint64_t object = step->event->tags[MT_TAG_OBJECT];
    mt_ranges_add(&step->model->mappings, step->event->address, step->event->bytes, object);
    struct mt_live *live = find_live(step->model, MT_SPACE_OBJECT, object);
    if (live) live->mappings++;
}

static bool belongs_to_context(const struct step *step, const struct mt_live *live) {
    uint64_t context = has_tag(step->event, MT_TAG_CONTEXT) ? step->event->tags[MT_TAG_CONTEXT] : step->event->context;
    return context && live->context == context;
}

static bool belongs_to_device(const struct step *step, const struct mt_live *live) {
    return live->device == device_of(step);
}

static void end_all(struct step *step, bool belongs(const struct step *, const struct mt_live *)) {
    struct mt_live *live, *next;
    HASH_ITER(hh, step->model->live, live, next)
    if (belongs(step, live)) end_live(step, live, true);
}

// Context 0 is a green one, which lives in its device's primary context.
static bool is_own_context(const struct step *step) {
    return has_tag(step->event, MT_TAG_CONTEXT) ? step->event->tags[MT_TAG_CONTEXT] : step->event->context;
}

static void on_context_created(struct step *step) {
    if (is_own_context(step)) mt_ledgers_context_created(&step->model->ledgers, device_of(step));
}

static void on_context_ended(struct step *step) {
    end_all(step, belongs_to_context);
    if (is_own_context(step)) mt_ledgers_context_ended(&step->model->ledgers, device_of(step));
}

static void on_device_reset(struct step *step) {
    // A program can have contexts of its own beside the primary one, which live on.
    end_all(step, has_tag(step->event, MT_TAG_CONTEXT) ? belongs_to_context : belongs_to_device);
    mt_ledgers_reset_pools(&step->model->ledgers, device_of(step));
    mt_ledgers_context_ended(&step->model->ledgers, device_of(step));
}

static void on_sampled(struct step *step) {
    const uint64_t *tags = step->event->tags;
    mt_ledgers_sample(&step->model->ledgers, device_of(step),
                      &(struct mt_sample){
                          .source = (enum mt_sample_source)tags[MT_TAG_SAMPLE_SOURCE],
                          .by_call = mt_definitions_api(step->model->definitions, step->event->api) != NULL,
                          .used_bytes = tags[MT_TAG_USED],
                          .total_bytes = tags[MT_TAG_TOTAL],
                          .device_bytes = tags[MT_TAG_VALUE],
                      });
}

// An allocation that names no pool came out of the device's current one. The first time, the sample that its call takes
// tells which that is.
static void place_block(struct step *step, uint64_t pool) {
    struct mt_model *model = step->model;
    struct mt_live *live = find_live(model, MT_SPACE_ADDRESS, model->unplaced);
    if (!live || model->unplaced_thread != step->event->thread) return;
    model->unplaced_thread = 0;
    mt_ledgers_pool_current(&model->ledgers, pool, live->device);
    mt_ledgers_pool_place(&model->ledgers, live, pool);
}

static void on_pool_current(struct step *step) {
    mt_ledgers_pool_current(&step->model->ledgers, step->event->tags[MT_TAG_POOL], device_of(step));
}

static void on_pool_sampled(struct step *step) {
    const uint64_t *tags = step->event->tags;
    if (step->model->unplaced_thread) place_block(step, tags[MT_TAG_POOL]);
    mt_ledgers_pool(&step->model->ledgers, tags[MT_TAG_POOL], device_of(step), tags[MT_TAG_POOL_RESERVED]);
}

// A framework's heap ends with its blocks. A CUDA pool lives on until its blocks are freed.
static bool belongs_to_heap(const struct step *step, const struct mt_live *live) {
    return live->memory == MT_MEMORY_TENSOR && live->pool == step->event->tags[MT_TAG_POOL];
}

static void on_pool_destroyed(struct step *step) {
    mt_ledgers_pool_destroyed(&step->model->ledgers, step->event->tags[MT_TAG_POOL]);
    if (memory_of(step) == MT_MEMORY_TENSOR) end_all(step, belongs_to_heap);
}

// What the program calls a piece of memory may tell its shape.
static void on_named(struct step *step) {
    struct mt_live_key key = key_of(step, memory_of(step));
    struct mt_live *live = find_live(step->model, (enum mt_space)key.space, key.identity);
    if (live) live->label = (uint32_t)step->event->tags[MT_TAG_TEXT];
}

static void on_mark(struct step *step) {
    mt_marks_apply(&step->model->marks, step->model->definitions, step->event);
}

typedef void effect_handler(struct step *step);

static effect_handler *const handlers[] = {
    [MT_EFFECT_ALLOCATED] = on_allocated,
    [MT_EFFECT_FREED] = on_freed,
    [MT_EFFECT_FAILED] = on_failed,
    [MT_EFFECT_CONTEXT_CREATED] = on_context_created,
    [MT_EFFECT_CONTEXT_ENDED] = on_context_ended,
    [MT_EFFECT_DEVICE_RESET] = on_device_reset,
    [MT_EFFECT_SAMPLED] = on_sampled,
    [MT_EFFECT_RESERVED] = on_reserved,
    [MT_EFFECT_UNRESERVED] = on_unreserved,
    [MT_EFFECT_MAPPED] = on_mapped,
    [MT_EFFECT_UNMAPPED] = on_unmapped,
    [MT_EFFECT_RETAINED] = on_retained,
    [MT_EFFECT_RELEASED] = on_released,
    [MT_EFFECT_POOL_SAMPLED] = on_pool_sampled,
    [MT_EFFECT_POOL_DESTROYED] = on_pool_destroyed,
    [MT_EFFECT_POOL_CURRENT] = on_pool_current,
    [MT_EFFECT_IMPORTED] = on_imported,
    [MT_EFFECT_EXPORTED] = on_exported,
    [MT_EFFECT_CLOSED] = on_freed,
    [MT_EFFECT_MIGRATED] = on_migrated,
    [MT_EFFECT_CAPTURED] = on_captured,
    [MT_EFFECT_GRAPH] = on_graph,
    [MT_EFFECT_RANGE_PUSHED] = on_mark,
    [MT_EFFECT_RANGE_POPPED] = on_mark,
    [MT_EFFECT_RANGE_STARTED] = on_mark,
    [MT_EFFECT_RANGE_ENDED] = on_mark,
    [MT_EFFECT_MARKED] = on_mark,
    [MT_EFFECT_NAMED] = on_named,
};

int mt_model_apply(struct mt_model *model, const struct mt_record_event *event, mt_observer_fn *observer, void *user) {
    struct mt_record_event joined;
    struct mt_caller caller;
    struct step step = {.model = model, .event = event, .cause = event->thread, .observer = observer, .user = user};
    mt_callers_note(&model->callers, model->definitions, event);
    if (mt_callers_find(&model->callers, model->definitions, event, &caller)) {
        joined = *event;
        joined.stack = mt_definitions_join(model->definitions, event->stack, caller.stack);
        step.event = &joined;
        step.cause = caller.thread;
    }
    size_t effect = (size_t)event->effect;
    if (event->thread == model->unplaced_thread && event->effect != MT_EFFECT_POOL_CREATED &&
        event->effect != MT_EFFECT_POOL_SAMPLED)
        model->unplaced_thread = 0;
    if (effect < sizeof(handlers) / sizeof(*handlers) && handlers[effect]) handlers[effect](&step);
    if (!step.told) tell(&step, MT_CHANGE_NONE, NULL, false);
    model->events++;
    return step.stop;
}

struct mt_model *mt_model_new(const struct mt_definitions *definitions, const struct mt_segments *segments) {
    struct mt_model *model = mt_allocate(sizeof(*model));
    model->definitions = definitions;
    model->segments = segments;
    return model;
}

void mt_model_free(struct mt_model *model) {
    if (!model) return;
    mt_hash_free(model->live);
    mt_ranges_clear(&model->mappings);
    mt_ranges_clear(&model->managed);
    mt_ranges_clear(&model->migrated);
    mt_ledgers_clear(&model->ledgers);
    mt_marks_clear(&model->marks);
    mt_callers_clear(&model->callers);
    mt_graphs_clear(&model->graphs);
    free(model);
}

const struct mt_ledgers *mt_model_ledgers(const struct mt_model *model) {
    return &model->ledgers;
}

uint64_t mt_model_events(const struct mt_model *model) {
    return model->events;
}

struct mt_mark mt_model_mark(const struct mt_model *model, const struct mt_change *change) {
    return mark_of(&model->marks, change->event->thread, change->cause);
}

size_t mt_model_ranges(const struct mt_model *model, const struct mt_change *change, uint32_t *texts, size_t room) {
    size_t count = mt_marks_open(&model->marks, change->event->thread, texts, room);
    if (count || change->cause == change->event->thread) return count;
    return mt_marks_open(&model->marks, change->cause, texts, room);
}

const struct mt_live *mt_model_find(const struct mt_model *model, enum mt_space space, uint64_t identity) {
    return find_live(model, space, identity);
}

const struct mt_graphs *mt_model_graphs(const struct mt_model *model) {
    return &model->graphs;
}

int mt_model_each_live(const struct mt_model *model, mt_live_fn *fn, void *user) {
    for (const struct mt_live *live = model->live; live; live = live->hh.next) {
        int stop = fn(user, live);
        if (stop) return stop;
    }
    return 0;
}

void mt_model_each_migrated(const struct mt_model *model, mt_range_fn *fn, void *user) {
    mt_ranges_each(&model->migrated, fn, user);
}

const struct mt_live *mt_model_managed(const struct mt_model *model, uint64_t address, uint64_t bytes) {
    const struct mt_range *range = mt_ranges_find_in(&model->managed, address, bytes);
    return range ? find_live(model, MT_SPACE_ADDRESS, range->value) : NULL;
}

void mt_model_each_mapping(const struct mt_model *model, mt_range_fn *fn, void *user) {
    mt_ranges_each(&model->mappings, fn, user);
}
