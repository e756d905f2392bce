/*
 * See recorder.h. Single-threaded, but for code objects.
 */
#include "tests/fakes/recorder.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "preload/guard.h"
#include "preload/session.h"
#include "preload/unwind.h"

enum { TEXT_BYTES = 1 << 16, NAMES = 4096 };

static char text[TEXT_BYTES], taken[TEXT_BYTES];
static char names[NAMES][256]; // of any kind; the id is the index
static uint32_t name_count;
static uint32_t context_devices[NAMES];
static uint64_t code_keys[NAMES];

static pthread_mutex_t code_lock = PTHREAD_MUTEX_INITIALIZER;

static int some_trace; // handles are opaque to a feed; any address will do
static struct mt_trace *const trace = (struct mt_trace *)&some_trace;
static bool session;

__thread struct mt_thread mt_thread __attribute__((tls_model("initial-exec")));
static _Atomic(uint32_t) alive;
_Atomic(uint32_t) *mt_alive = &alive;

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
}

void fake_recorder_reset(bool with_session) {
    text[0] = '\0';
    session = with_session;
    alive = with_session;
    mt_thread = (struct mt_thread){0};
}

const char *fake_recorder_take(void) {
    strcpy(taken, text);
    text[0] = '\0';
    return taken;
}

struct mt_trace *mt_session_trace(void) {
    return session ? trace : NULL;
}

bool mt_guard_run(mt_guarded_work *work, void *argument) {
    static __thread struct mt_own_stack stack;
    if (mt_thread.inside) return false;
    mt_thread.tid = 7;
    mt_thread.lane = (struct mt_lane *)trace;
    mt_thread.inside = &stack;
    work(argument);
    mt_thread.inside = NULL;
    return true;
}

uint32_t mt_unwind_stack(struct mt_trace *unused) {
    (void)unused;
    return 0;
}

uint32_t mt_unwind_line(struct mt_trace *unused) {
    return mt_unwind_stack(unused);
}

void mt_unwind_set_rewriter(mt_frame_rewriter *rewriter, mt_frame_liner *liner, mt_frame_cutter *cutter) {
    (void)cutter;
    (void)rewriter, (void)liner;
}

uint64_t mt_now_ns(void) {
    return 1;
}

static uint32_t intern(const char *name) {
    for (uint32_t i = 1; i <= name_count; i++) {
        if (strcmp(names[i], name) == 0) return i;
    }
    snprintf(names[++name_count], sizeof names[0], "%s", name);
    return name_count;
}

uint32_t mt_define_string(struct mt_trace *unused, const char *string) {
    (void)unused;
    return intern(string);
}

uint32_t mt_define_api(struct mt_trace *unused, const char *name, enum mt_effect effect, enum mt_memory memory) {
    (void)unused, (void)effect, (void)memory;
    return intern(name);
}

uint32_t mt_define_context(struct mt_trace *unused, uint32_t device) {
    (void)unused;
    context_devices[++name_count] = device;
    return name_count;
}

void mt_define_fact(struct mt_trace *unused, const char *key, const char *value) {
    (void)unused;
    add("fact %s=%s\n", key, value);
}

void mt_define_thread_name(struct mt_trace *unused, uint32_t tid, const char *name) {
    (void)unused;
    add("thread %u=%s\n", tid, name);
}

static uint32_t find_code(uint64_t key) {
    for (uint32_t i = 1; i <= name_count; i++) {
        if (code_keys[i] == key) return i;
    }
    return 0;
}

uint32_t mt_find_code(struct mt_trace *unused, uint64_t key) {
    (void)unused;
    pthread_mutex_lock(&code_lock);
    uint32_t id = find_code(key);
    pthread_mutex_unlock(&code_lock);
    return id;
}

uint32_t mt_define_code(struct mt_trace *unused, uint64_t key, const char *name, const char *file,
                        uint32_t first_line) {
    (void)unused, (void)first_line;
    pthread_mutex_lock(&code_lock);
    uint32_t id = find_code(key);
    if (!id && name_count + 1 < NAMES) {
        id = ++name_count;
        code_keys[id] = key;
        snprintf(names[id], sizeof names[0], "%s %s", name, file);
    }
    pthread_mutex_unlock(&code_lock);
    return id;
}

const char *fake_recorder_name(uint32_t id) {
    return id <= name_count ? names[id] : "?";
}

static void add_context(const struct mt_event *event) {
    if (event->context) add(" device=%u", context_devices[event->context]);
    add("\n");
}

void mt_write_alloc(struct mt_lane *stream, const struct mt_event *event, uint64_t address, uint64_t bytes) {
    (void)stream;
    add("alloc %s 0x%llx %llu", names[event->api], (unsigned long long)address, (unsigned long long)bytes);
    add_context(event);
}

void mt_write_free(struct mt_lane *stream, const struct mt_event *event, uint64_t address) {
    (void)stream;
    add("free %s 0x%llx", names[event->api], (unsigned long long)address);
    add_context(event);
}

static const char *effect_name(enum mt_effect effect) {
    switch (effect) {
    case MT_EFFECT_ALLOCATED:
        return "allocated";
    case MT_EFFECT_FREED:
        return "freed";
    case MT_EFFECT_POOL_CREATED:
        return "pool-created";
    case MT_EFFECT_POOL_DESTROYED:
        return "pool-destroyed";
    case MT_EFFECT_POOL_SAMPLED:
        return "pool-sampled";
    case MT_EFFECT_RANGE_PUSHED:
        return "pushed";
    case MT_EFFECT_RANGE_POPPED:
        return "popped";
    case MT_EFFECT_RANGE_STARTED:
        return "started";
    case MT_EFFECT_RANGE_ENDED:
        return "ended";
    case MT_EFFECT_MARKED:
        return "marked";
    case MT_EFFECT_OUT_OF_MEMORY:
        return "out-of-memory";
    case MT_EFFECT_BACKWARD:
        return "backward";
    case MT_EFFECT_BACKWARD_ENDED:
        return "backward-ended";
    case MT_EFFECT_NAMED:
        return "named";
    default:
        return "?";
    }
}

static void add_tag(const struct mt_tagged *tag) {
    unsigned long long value = tag->value;
    switch (tag->tag) {
    case MT_TAG_ADDRESS:
        add(" address=0x%llx", value);
        break;
    case MT_TAG_BYTES:
        add(" bytes=%llu", value);
        break;
    case MT_TAG_POOL:
        add(" pool=%llu", value);
        break;
    case MT_TAG_DEVICE:
        add(" device=%llu", value);
        break;
    case MT_TAG_TEXT:
        add(" text=%s", names[value]);
        break;
    case MT_TAG_DOMAIN:
        add(" domain=%s", names[value]);
        break;
    case MT_TAG_RANGE:
        add(" range=%llu", value);
        break;
    case MT_TAG_VALUE:
        add(" value=%llu", value);
        break;
    case MT_TAG_CATEGORY:
        add(" category=%llu", value);
        break;
    case MT_TAG_ALLOCATED:
        add(" allocated=%llu", value);
        break;
    case MT_TAG_ALLOCATOR_RESERVED:
        add(" reserved=%llu", value);
        break;
    default:
        add(" tag%d=%llu", tag->tag, value);
        break;
    }
}

void mt_write_event(struct mt_lane *stream, enum mt_effect effect, const struct mt_event *event,
                    const struct mt_tagged *tags, size_t tag_count) {
    (void)stream;
    add("%s %s", effect_name(effect), names[event->api]);
    for (size_t i = 0; i < tag_count; i++) add_tag(&tags[i]);
    add("\n");
}
