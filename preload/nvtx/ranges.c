/*
 * See nvtx/ranges.h.
 */
#include "preload/nvtx/ranges.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/guard.h"
#include "preload/nvtx/feed.h"
#include "preload/session.h"
#include "preload/unwind.h"
#include "tracer/lock.h"

enum { MAX_TAGS = 5 };

// A range that was opened before there was a trace.
struct open_range {
    struct mt_nvtx_domain *domain;
    nvtxRangeId_t id; // start/end only
    char *text;
    struct mt_nvtx_string *string;
    int64_t sequence;
    uint32_t category;
};

// Made at a thread's first push, freed when the thread ends.
struct thread_ranges {
    int *level; // ranges open per domain
    size_t level_capacity;
    struct open_range *open; // innermost last; deeper ones are not kept when there is no memory
    size_t open_count, open_capacity;
    size_t deeper;
};

static __thread struct thread_ranges *thread_ranges __attribute__((tls_model("initial-exec")));
static pthread_key_t thread_end_key;
static pthread_once_t thread_end_once = PTHREAD_ONCE_INIT;

// Ranges of start/end that were opened before there was a trace, oldest first.
struct process_range {
    struct open_range range;
    struct process_range *next;
};
static struct {
    struct mt_lock lock; // nothing is allocated, freed or written under it
    struct process_range *first, **end;
    _Atomic(int) count;
} process_open;

static _Atomic(uint64_t) last_range;

enum api { API_PUSH, API_POP, API_START, API_END, API_MARK, API_COUNT };
static const struct {
    const char *name;
    enum mt_effect effect;
} apis[API_COUNT] = {
    [API_PUSH] = {"nvtxRangePush", MT_EFFECT_RANGE_PUSHED},
    [API_POP] = {"nvtxRangePop", MT_EFFECT_RANGE_POPPED},
    [API_START] = {"nvtxRangeStart", MT_EFFECT_RANGE_STARTED},
    [API_END] = {"nvtxRangeEnd", MT_EFFECT_RANGE_ENDED},
    [API_MARK] = {"nvtxMark", MT_EFFECT_MARKED},
};
static _Atomic(uint32_t) api_ids[API_COUNT];

static uint32_t cached_id(_Atomic(uint32_t) *cache, const char *text) {
    uint32_t id = atomic_load_explicit(cache, memory_order_relaxed);
    if (id) return id;
    id = mt_define_string(mt_session_trace(), text);
    atomic_store_explicit(cache, id, memory_order_relaxed);
    return id;
}

static uint32_t api_id(enum api api) {
    uint32_t id = atomic_load_explicit(&api_ids[api], memory_order_relaxed);
    if (id) return id;
    id = mt_define_api(mt_session_trace(), apis[api].name, apis[api].effect, MT_MEMORY_NONE);
    atomic_store_explicit(&api_ids[api], id, memory_order_relaxed);
    return id;
}

// XLA compiles inside a range, and meanwhile tries code out on threads of its own, where no frame leads to a line of
// the program: the stack of whoever opened the range tells the report.
static uint32_t stack_of(enum api api, const struct mt_nvtx_message *message) {
    static const char compilation[] = "XlaCompile:";
    if (api != API_PUSH || strncmp(message->text, compilation, sizeof compilation - 1) != 0) return 0;
    return mt_unwind_stack(mt_session_trace());
}

// What an annotation says: `message` is NULL for what ends a range, `range` 0 for what has no id.
struct annotation {
    enum api api;
    struct mt_nvtx_domain *domain;
    const struct mt_nvtx_message *message;
    nvtxRangeId_t range;
};

// Under the guard.
static void write_event(enum api api, struct mt_nvtx_domain *domain, const struct mt_nvtx_message *message,
                        nvtxRangeId_t range) {
    struct mt_event event = {.time_ns = mt_now_ns(), .api = api_id(api), .stack = stack_of(api, message)};
    struct mt_tagged tags[MAX_TAGS];
    size_t count = 0;
    if (message) {
        uint32_t id = message->string ? cached_id(&message->string->id, message->text)
                                      : mt_define_string(mt_session_trace(), message->text);
        tags[count++] = (struct mt_tagged){MT_TAG_TEXT, id};
        if (message->sequence >= 0) tags[count++] = (struct mt_tagged){MT_TAG_VALUE, (uint64_t)message->sequence};
        if (message->category) tags[count++] = (struct mt_tagged){MT_TAG_CATEGORY, message->category};
    }
    if (domain) tags[count++] = (struct mt_tagged){MT_TAG_DOMAIN, cached_id(&domain->id, domain->name)};
    if (range) tags[count++] = (struct mt_tagged){MT_TAG_RANGE, range};
    mt_write_event(mt_thread.lane, apis[api].effect, &event, tags, count);
}

static void write_annotation(void *argument) {
    const struct annotation *annotation = argument;
    write_event(annotation->api, annotation->domain, annotation->message, annotation->range);
}

// False when it can't be recorded now.
static bool record(enum api api, struct mt_nvtx_domain *domain, const struct mt_nvtx_message *message,
                   nvtxRangeId_t range) {
    struct annotation annotation = {api, domain, message, range};
    return mt_guarded(write_annotation, &annotation);
}

static void keep_open(struct open_range *open, struct mt_nvtx_domain *domain, const struct mt_nvtx_message *message) {
    *open = (struct open_range){
        .domain = domain,
        .text = message->string ? NULL : strdup(message->text),
        .string = message->string,
        .sequence = message->sequence,
        .category = message->category,
    };
}

static void write_open(enum api api, const struct open_range *open) {
    struct mt_nvtx_message message = {
        .text = open->string ? open->string->text
                : open->text ? open->text
                             : "",
        .string = open->string,
        .sequence = open->sequence,
        .category = open->category,
    };
    write_event(api, open->domain, &message, open->id);
}

static void free_process_range(struct process_range *open) {
    if (!open) return;
    free(open->range.text);
    free(open);
}

static void add_process_open(struct process_range *open) {
    mt_lock_take(&process_open.lock);
    if (!process_open.first) process_open.end = &process_open.first;
    *process_open.end = open;
    process_open.end = &open->next;
    atomic_fetch_add(&process_open.count, 1);
    mt_lock_drop(&process_open.lock);
}

// The oldest one, or the one with this id; NULL if there is none.
static struct process_range *take_process_open(nvtxRangeId_t id) {
    if (atomic_load_explicit(&process_open.count, memory_order_relaxed) == 0) return NULL;
    mt_lock_take(&process_open.lock);
    struct process_range **at = &process_open.first;
    while (id && *at && (*at)->range.id != id) at = &(*at)->next;
    struct process_range *open = *at;
    if (open) {
        *at = open->next;
        if (!open->next) process_open.end = at;
        atomic_fetch_sub(&process_open.count, 1);
    }
    mt_lock_drop(&process_open.lock);
    return open;
}

static void write_process_open(void) {
    for (struct process_range *open; (open = take_process_open(0)); free_process_range(open)) {
        write_open(API_START, &open->range);
    }
}

void mt_nvtx_thread_attached(void) {
    struct thread_ranges *ranges = thread_ranges;
    write_process_open();
    if (!ranges) return;
    // Their true beginnings lie before the trace.
    for (size_t i = 0; i < ranges->open_count; i++) {
        write_open(API_PUSH, &ranges->open[i]);
        free(ranges->open[i].text);
    }
    ranges->open_count = 0;
    ranges->deeper = 0;
}

static void free_thread_ranges(void *argument) {
    struct thread_ranges *ranges = argument;
    for (size_t i = 0; i < ranges->open_count; i++) free(ranges->open[i].text);
    free(ranges->open);
    free(ranges->level);
    free(ranges);
    thread_ranges = NULL;
}

static void make_thread_end_key(void) {
    if (pthread_key_create(&thread_end_key, free_thread_ranges) != 0) thread_end_key = (pthread_key_t)-1;
}

static struct thread_ranges *ranges_of_this_thread(void) {
    if (thread_ranges) return thread_ranges;
    pthread_once(&thread_end_once, make_thread_end_key);
    struct thread_ranges *ranges = calloc(1, sizeof *ranges);
    if (!ranges) return NULL;
    if (pthread_setspecific(thread_end_key, ranges) != 0) {
        free(ranges);
        return NULL;
    }
    thread_ranges = ranges;
    return ranges;
}

// How many ranges of the domain are open; NULL without memory.
static int *level_of(struct thread_ranges *ranges, const struct mt_nvtx_domain *domain) {
    size_t index = domain ? domain->index : 0, old = ranges ? ranges->level_capacity : 0;
    if (index < old) return &ranges->level[index];
    if (!ranges) return NULL;
    size_t capacity = index + 8;
    int *level = realloc(ranges->level, capacity * sizeof *level);
    if (!level) return NULL;
    memset(level + old, 0, (capacity - old) * sizeof *level);
    ranges->level = level;
    ranges->level_capacity = capacity;
    return &level[index];
}

static bool make_room(struct thread_ranges *ranges) {
    if (ranges->open_count < ranges->open_capacity) return true;
    size_t capacity = ranges->open_capacity ? 2 * ranges->open_capacity : 8;
    struct open_range *open = realloc(ranges->open, capacity * sizeof *open);
    if (!open) return false;
    ranges->open = open;
    ranges->open_capacity = capacity;
    return true;
}

int mt_nvtx_push(struct mt_nvtx_domain *domain, struct mt_nvtx_message *message) {
    struct thread_ranges *ranges = ranges_of_this_thread();
    if (!record(API_PUSH, domain, message, 0) && ranges && !mt_session_trace()) {
        if (!ranges->deeper && make_room(ranges)) {
            keep_open(&ranges->open[ranges->open_count++], domain, message);
        } else {
            ranges->deeper++;
        }
    }
    int *level = level_of(ranges, domain);
    return level ? (*level)++ : NVTX_NO_PUSH_POP_TRACKING;
}

// The innermost open range of the domain is over; ranges of other domains may lie inside it.
static void forget_open(struct thread_ranges *ranges, const struct mt_nvtx_domain *domain) {
    if (ranges->deeper) {
        ranges->deeper--;
        return;
    }
    for (size_t i = ranges->open_count; i > 0; i--) {
        if (ranges->open[i - 1].domain != domain) continue;
        free(ranges->open[i - 1].text);
        memmove(&ranges->open[i - 1], &ranges->open[i], (ranges->open_count - i) * sizeof ranges->open[0]);
        ranges->open_count--;
        return;
    }
}

int mt_nvtx_pop(struct mt_nvtx_domain *domain) {
    struct thread_ranges *ranges = ranges_of_this_thread();
    int *level = level_of(ranges, domain);
    if (level && *level == 0) return -1; // nothing is open
    if (!record(API_POP, domain, NULL, 0) && ranges && !mt_session_trace()) forget_open(ranges, domain);
    return level ? --*level : NVTX_NO_PUSH_POP_TRACKING;
}

nvtxRangeId_t mt_nvtx_new_range(void) {
    return atomic_fetch_add_explicit(&last_range, 1, memory_order_relaxed) + 1;
}

void mt_nvtx_start(struct mt_nvtx_domain *domain, struct mt_nvtx_message *message, nvtxRangeId_t id) {
    if (record(API_START, domain, message, id) || mt_session_trace()) return;
    struct process_range *open = calloc(1, sizeof *open);
    if (!open) return;
    keep_open(&open->range, domain, message);
    open->range.id = id;
    add_process_open(open);
}

void mt_nvtx_end(nvtxRangeId_t id) {
    if (record(API_END, NULL, NULL, id)) return;
    free_process_range(take_process_open(id));
}

void mt_nvtx_mark(struct mt_nvtx_domain *domain, struct mt_nvtx_message *message) {
    record(API_MARK, domain, message, 0);
}

// What a number is called: a thread's, or a category's of a domain.
struct naming {
    uint32_t number;
    const struct mt_nvtx_domain *domain;
    const char *name;
};

static void name_thread(void *argument) {
    const struct naming *naming = argument;
    mt_define_thread_name(mt_session_trace(), naming->number, naming->name);
}

void mt_nvtx_name_thread(uint32_t tid, const char *name) {
    struct naming naming = {tid, NULL, name};
    mt_guarded(name_thread, &naming);
}

static void name_category(void *argument) {
    const struct naming *naming = argument;
    char key[MT_NVTX_TEXT_BYTES];
    snprintf(key, sizeof key, "nvtx-category:%s:%u", naming->domain ? naming->domain->name : "", naming->number);
    mt_define_fact(mt_session_trace(), key, naming->name);
}

void mt_nvtx_name_category(struct mt_nvtx_domain *domain, uint32_t category, const char *name) {
    struct naming naming = {category, domain, name};
    mt_guarded(name_category, &naming);
}
