/*
 * Names of effects, kinds of memory, tags and results; see effects.h. The numbers of results are those of CUresult in
 * cuda.h; the viewer is built without CUDA.
 */
#include "viewer/trace/effects.h"

#include <stddef.h>

#include "tracer/format.h"

static const char *const effects[] = {
    [MT_EFFECT_NONE] = "lost",
    [MT_EFFECT_ALLOCATED] = "allocated",
    [MT_EFFECT_FREED] = "freed",
    [MT_EFFECT_LAUNCHED] = "launched",
    [MT_EFFECT_FAILED] = "failed",
    [MT_EFFECT_CONTEXT_CREATED] = "context-created",
    [MT_EFFECT_CONTEXT_ENDED] = "context-ended",
    [MT_EFFECT_DEVICE_RESET] = "device-reset",
    [MT_EFFECT_SAMPLED] = "sampled",
    [MT_EFFECT_RESERVED] = "reserved",
    [MT_EFFECT_UNRESERVED] = "unreserved",
    [MT_EFFECT_MAPPED] = "mapped",
    [MT_EFFECT_UNMAPPED] = "unmapped",
    [MT_EFFECT_RETAINED] = "retained",
    [MT_EFFECT_RELEASED] = "released",
    [MT_EFFECT_POOL_CREATED] = "pool-created",
    [MT_EFFECT_POOL_DESTROYED] = "pool-destroyed",
    [MT_EFFECT_POOL_SAMPLED] = "pool-sampled",
    [MT_EFFECT_POOL_CHANGED] = "pool-changed",
    [MT_EFFECT_IMPORTED] = "imported",
    [MT_EFFECT_EXPORTED] = "exported",
    [MT_EFFECT_CLOSED] = "closed",
    [MT_EFFECT_LOADED] = "loaded",
    [MT_EFFECT_UNLOADED] = "unloaded",
    [MT_EFFECT_CAPTURED] = "captured",
    [MT_EFFECT_GRAPH] = "graph",
    [MT_EFFECT_RANGE_PUSHED] = "range-pushed",
    [MT_EFFECT_RANGE_POPPED] = "range-popped",
    [MT_EFFECT_RANGE_STARTED] = "range-started",
    [MT_EFFECT_RANGE_ENDED] = "range-ended",
    [MT_EFFECT_MARKED] = "marked",
    [MT_EFFECT_OUT_OF_MEMORY] = "out-of-memory",
    [MT_EFFECT_HANDED_OVER] = "handed-over",
    [MT_EFFECT_MULTICAST] = "multicast",
    [MT_EFFECT_NOTE] = "note",
    [MT_EFFECT_NAMED] = "named",
    [MT_EFFECT_BACKWARD] = "backward",
    [MT_EFFECT_BACKWARD_ENDED] = "backward-ended",
    [MT_EFFECT_POOL_CURRENT] = "pool-current",
    [MT_EFFECT_MIGRATED] = "migrated",
};

static const char *const memories[] = {
    [MT_MEMORY_NONE] = "none",         [MT_MEMORY_DEVICE] = "device",
    [MT_MEMORY_PITCHED] = "pitched",   [MT_MEMORY_MANAGED] = "managed",
    [MT_MEMORY_POOL] = "pool",         [MT_MEMORY_ARRAY] = "array",
    [MT_MEMORY_PHYSICAL] = "physical", [MT_MEMORY_ADDRESS] = "address",
    [MT_MEMORY_PINNED] = "pinned",     [MT_MEMORY_REGISTERED] = "registered",
    [MT_MEMORY_IMPORTED] = "imported", [MT_MEMORY_GRAPH] = "graph",
    [MT_MEMORY_TENSOR] = "tensor",     [MT_MEMORY_TENSOR_CPU] = "tensor-cpu",
};

static const char *const tags[] = {
    [MT_TAG_ADDRESS] = "address",     [MT_TAG_BYTES] = "bytes",
    [MT_TAG_TAKEN] = "taken",         [MT_TAG_RESULT] = "result",
    [MT_TAG_DEVICE] = "device",       [MT_TAG_CONTEXT] = "of-context",
    [MT_TAG_OBJECT] = "object",       [MT_TAG_OFFSET] = "offset",
    [MT_TAG_POOL] = "pool",           [MT_TAG_POOL_RESERVED] = "pool-reserved",
    [MT_TAG_POOL_USED] = "pool-used", [MT_TAG_USED] = "used",
    [MT_TAG_TOTAL] = "total",         [MT_TAG_SAMPLE_SOURCE] = "source",
    [MT_TAG_TEXT] = "text",           [MT_TAG_DOMAIN] = "domain",
    [MT_TAG_RANGE] = "range",         [MT_TAG_LAUNCH] = "launch",
    [MT_TAG_KERNEL] = "kernel",       [MT_TAG_GRAPH] = "graph",
    [MT_TAG_ATTRIBUTE] = "attribute", [MT_TAG_VALUE] = "value",
    [MT_TAG_ALLOCATED] = "allocated", [MT_TAG_ALLOCATOR_RESERVED] = "allocator-reserved",
    [MT_TAG_MEMORY] = "memory",       [MT_TAG_FLAGS] = "flags",
    [MT_TAG_END_TIME] = "took-ns",    [MT_TAG_BEFORE] = "before",
    [MT_TAG_LOCATION] = "location",   [MT_TAG_CATEGORY] = "category",
    [MT_TAG_COUNT] = "number",
};

struct result {
    uint64_t number;
    const char *name;
};

static const struct result results[] = {
    {1, "CUDA_ERROR_INVALID_VALUE"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY"},
    {3, "CUDA_ERROR_NOT_INITIALIZED"},
    {4, "CUDA_ERROR_DEINITIALIZED"},
    {100, "CUDA_ERROR_NO_DEVICE"},
    {101, "CUDA_ERROR_INVALID_DEVICE"},
    {200, "CUDA_ERROR_INVALID_IMAGE"},
    {201, "CUDA_ERROR_INVALID_CONTEXT"},
    {205, "CUDA_ERROR_MAP_FAILED"},
    {206, "CUDA_ERROR_UNMAP_FAILED"},
    {208, "CUDA_ERROR_ALREADY_MAPPED"},
    {211, "CUDA_ERROR_NOT_MAPPED"},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM"},
    {400, "CUDA_ERROR_INVALID_HANDLE"},
    {401, "CUDA_ERROR_ILLEGAL_STATE"},
    {500, "CUDA_ERROR_NOT_FOUND"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
    {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
    {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
    {719, "CUDA_ERROR_LAUNCH_FAILED"},
    {800, "CUDA_ERROR_NOT_PERMITTED"},
    {801, "CUDA_ERROR_NOT_SUPPORTED"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
    {999, "CUDA_ERROR_UNKNOWN"},
};

const char *mt_effect_name(uint32_t effect) {
    const char *name = effect < sizeof(effects) / sizeof(*effects) ? effects[effect] : NULL;
    return name ? name : "effect";
}

const char *mt_tag_name(uint32_t tag) {
    return tag < sizeof(tags) / sizeof(*tags) ? tags[tag] : NULL;
}

const char *mt_memory_name(uint32_t memory) {
    const char *name = memory < sizeof(memories) / sizeof(*memories) ? memories[memory] : NULL;
    return name ? name : "unknown";
}

const char *mt_result_name(uint64_t result) {
    for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++)
        if (results[i].number == result) return results[i].name;
    return NULL;
}
