/*
 * Writing small traces; see scripts.h.
 */
#include "tests/unit/scripts.h"

#include <unistd.h>

#include "tracer/facts.h"

#include <stdarg.h>

static struct mt_report opened;
static bool is_open;
struct mt_options script_options;

static void define_apis(struct script *script) {
    struct mt_trace *trace = script->trace;
    script->malloc_api = mt_define_api(trace, "cuMemAlloc_v2", MT_EFFECT_ALLOCATED, MT_MEMORY_DEVICE);
    script->free_api = mt_define_api(trace, "cuMemFree_v2", MT_EFFECT_FREED, MT_MEMORY_DEVICE);
    script->async_api = mt_define_api(trace, "cuMemAllocAsync_ptsz", MT_EFFECT_ALLOCATED, MT_MEMORY_POOL);
    script->pinned_api = mt_define_api(trace, "cuMemHostAlloc", MT_EFFECT_ALLOCATED, MT_MEMORY_PINNED);
    script->pinned_free_api = mt_define_api(trace, "cuMemFreeHost", MT_EFFECT_FREED, MT_MEMORY_PINNED);
    script->create_api = mt_define_api(trace, "cuMemCreate", MT_EFFECT_ALLOCATED, MT_MEMORY_PHYSICAL);
    script->reserve_api = mt_define_api(trace, "cuMemAddressReserve", MT_EFFECT_RESERVED, MT_MEMORY_ADDRESS);
    script->map_api = mt_define_api(trace, "cuMemMap", MT_EFFECT_MAPPED, MT_MEMORY_PHYSICAL);
    script->unmap_api = mt_define_api(trace, "cuMemUnmap", MT_EFFECT_UNMAPPED, MT_MEMORY_PHYSICAL);
    script->release_api = mt_define_api(trace, "cuMemRelease", MT_EFFECT_RELEASED, MT_MEMORY_PHYSICAL);
}

// When the trace began, as its header says: however long the machine takes, the script's times are the same.
static uint64_t begun_ns(const char *path) {
    struct bytes bytes = bytes_read(path);
    struct mt_file_header header;
    assert_true(bytes.count >= sizeof(header));
    memcpy(&header, bytes.data, sizeof(header));
    free(bytes.data);
    return header.start_monotonic_ns;
}

// Files that the trace names are opened if it was made here.
static void define_origin(struct mt_trace *trace) {
    char host[256] = "", user[32];
    assert_int_equal(gethostname(host, sizeof(host) - 1), 0);
    snprintf(user, sizeof(user), "%ld", (long)geteuid());
    mt_define_fact(trace, MT_FACT_HOST, host);
    mt_define_fact(trace, MT_FACT_USER, user);
}

struct script *script_begin(void **state) {
    static const uint8_t uuid[16] = {1, 2, 3};
    struct script *script = calloc(1, sizeof(*script));
    assert_non_null(script);
    script->path = path_in(state, "trace.bin");
    script->trace = trace_make(script->path);
    script->start_ns = begun_ns(script->path);
    script->context = 1;
    define_apis(script);
    for (uint32_t device = 0; device < 2; device++) {
        mt_define_device(script->trace, device, (uint64_t)16 << 30, "Test GPU", uuid);
        assert_int_equal(mt_define_context(script->trace, device), device + 1);
    }
    define_origin(script->trace);
    script_options = (struct mt_options){.by = mt_by_default(), .device = MT_ALL_DEVICES};
    return script;
}

// "function file:line" → a Python frame.
static struct mt_frame frame_of(struct script *script, const char *text) {
    char function[64], file[128];
    unsigned line;
    assert_int_equal(sscanf(text, "%63s %127[^:]:%u", function, file, &line), 3);
    uint64_t key = 14695981039346656037u;
    for (const char *at = text; *at != ':'; at++) key = (key ^ (unsigned char)*at) * 1099511628211u;
    uint32_t code = mt_define_code(script->trace, key, function, file, 1);
    return (struct mt_frame){.address = (uint64_t)code << 32 | line, .line = line, .python = true};
}

uint32_t script_stack(struct script *script, const char *innermost, ...) {
    struct mt_frame frames[16];
    size_t count = 0;
    va_list args;
    va_start(args, innermost);
    for (const char *text = innermost; text && count < 16; text = va_arg(args, const char *))
        frames[count++] = frame_of(script, text);
    va_end(args);
    return mt_define_stack(script->trace, frames, count);
}

static struct mt_lane *stream_of(struct script *script) {
    struct mt_lane **stream = &script->streams[script->thread];
    if (!*stream) *stream = mt_lane_acquire(script->trace, 1000 + script->thread);
    assert_non_null(*stream);
    return *stream;
}

static struct mt_event next_event(struct script *script, uint32_t api, uint32_t stack) {
    return (struct mt_event){
        .time_ns = script->start_ns + 1000 * ++script->events,
        .api = api,
        .stack = stack,
        .context = script->context,
        .stream = script->cuda_stream,
    };
}

void script_alloc(struct script *script, uint32_t api, uint64_t address, uint64_t bytes, uint32_t stack) {
    struct mt_event event = next_event(script, api, stack);
    mt_write_alloc(stream_of(script), &event, address, bytes);
}

void script_free(struct script *script, uint32_t api, uint64_t address, uint32_t stack) {
    struct mt_event event = next_event(script, api, stack);
    mt_write_free(stream_of(script), &event, address);
}

void script_event(struct script *script, enum mt_effect effect, uint32_t api, uint32_t stack, ...) {
    struct mt_event event = next_event(script, api, stack);
    struct mt_tagged tags[4];
    size_t count = 0;
    va_list args;
    va_start(args, stack);
    for (int tag; count < 4 && (tag = va_arg(args, int));)
        tags[count++] = (struct mt_tagged){(enum mt_tag)tag, va_arg(args, uint64_t)};
    va_end(args);
    mt_write_event(stream_of(script), effect, &event, tags, count);
}

struct mt_report *script_report(struct script *script) {
    char *error = NULL;
    for (size_t i = 0; i < 4; i++)
        if (script->streams[i]) mt_lane_release(script->streams[i]);
    mt_trace_finish(script->trace);
    if (!mt_report_open(script->path, &script_options, &opened, &error)) fail_msg("%s", error);
    is_open = true;
    return &opened;
}

void script_close(struct script *script) {
    if (is_open) mt_report_close(&opened);
    is_open = false;
    free(script->path);
    free(script);
}

char *script_show(struct mt_report *report, void (*show)(struct mt_report *report, FILE *out)) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    show(report, out);
    fclose(out);
    return text;
}
