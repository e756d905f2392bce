/*
 * See torch/feed.h. The names are C++ ones as GCC and Clang mangle them; what is passed fits C: c10::Device is two
 * bytes, trivially copyable. Versions before 1.6 report without an address; those we don't stand in front of.
 */
#include "preload/torch/feed.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/effects/context_map.h"
#include "preload/guard.h"
#include "preload/session.h"
#include "preload/torch/symbols.h"
#include "preload/unwind.h"
#include "tracer/facts.h"

#define EXPORTED __attribute__((visibility("default")))

enum { DEVICE_CPU = 0, DEVICE_CUDA = 1, DEVICES = 64 }; // c10::DeviceType

struct c10_device {
    int8_t type;
    int8_t index; // -1: the current one
};

// `bytes` is negative when the block is freed.
typedef void usage_fn(void *block, int64_t bytes, size_t allocated, size_t reserved, struct c10_device device);
typedef void usage_without_figures_fn(void *block, int64_t bytes, struct c10_device device);
typedef void out_of_memory_fn(int64_t bytes, size_t allocated, size_t reserved, struct c10_device device);

// The figures are unsigned (m) today, were signed (l) around 1.10, and did not exist before. Both are 64 bits, so one C
// function serves.
#define USAGE        _ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE
#define USAGE_SIGNED _ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE
#define USAGE_OLD    _ZN3c1027reportMemoryUsageToProfilerEPvlNS_6DeviceE
#define OOM          _ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE
#define OOM_SIGNED   _ZN3c1027reportOutOfMemoryToProfilerElllNS_6DeviceE
EXPORTED usage_fn USAGE, USAGE_SIGNED;
EXPORTED usage_without_figures_fn USAGE_OLD;
EXPORTED out_of_memory_fn OOM, OOM_SIGNED;

#define NAME_OF(symbol)          NAME_OF_EXPANDED(symbol)
#define NAME_OF_EXPANDED(symbol) #symbol
enum symbol { SYMBOL_USAGE, SYMBOL_USAGE_SIGNED, SYMBOL_USAGE_OLD, SYMBOL_OOM, SYMBOL_OOM_SIGNED, SYMBOL_COUNT };
static const char *const symbol_names[SYMBOL_COUNT] = {
    NAME_OF(USAGE), NAME_OF(USAGE_SIGNED), NAME_OF(USAGE_OLD), NAME_OF(OOM), NAME_OF(OOM_SIGNED),
};
static _Atomic(void *) originals[SYMBOL_COUNT];
static _Atomic(bool) reported; // the fact is written

enum api { API_MALLOC, API_FREE, API_CPU_MALLOC, API_CPU_FREE, API_OUT_OF_MEMORY, API_SAMPLE, API_COUNT };
static const struct {
    const char *name;
    enum mt_effect effect;
    enum mt_memory memory;
} apis[API_COUNT] = {
    [API_MALLOC] = {"torch malloc", MT_EFFECT_ALLOCATED, MT_MEMORY_TENSOR},
    [API_FREE] = {"torch free", MT_EFFECT_FREED, MT_MEMORY_TENSOR},
    [API_CPU_MALLOC] = {"torch malloc (CPU)", MT_EFFECT_ALLOCATED, MT_MEMORY_TENSOR_CPU},
    [API_CPU_FREE] = {"torch free (CPU)", MT_EFFECT_FREED, MT_MEMORY_TENSOR_CPU},
    [API_OUT_OF_MEMORY] = {"torch out of memory", MT_EFFECT_OUT_OF_MEMORY, MT_MEMORY_TENSOR},
    [API_SAMPLE] = {"torch allocator", MT_EFFECT_POOL_SAMPLED, MT_MEMORY_TENSOR},
};
static _Atomic(uint32_t) api_ids[API_COUNT];

// Of each device; written under its allocator's mutex only.
static struct {
    _Atomic(uint32_t) context; // stands for the device where the thread has no context on it
    _Atomic(uint64_t) allocated;
    _Atomic(uint64_t) reserved;
    _Atomic(bool) known;
} devices[DEVICES];

static void *look_for(enum symbol symbol) {
    void *found = mt_torch_symbol(symbol_names[symbol]);
    if (found) atomic_store_explicit(&originals[symbol], found, memory_order_release);
    return found;
}

void mt_torch_look(void) {
    for (enum symbol symbol = 0; symbol < SYMBOL_COUNT; symbol++) {
        if (!atomic_load_explicit(&originals[symbol], memory_order_relaxed)) look_for(symbol);
    }
    mt_torch_backward_look();
}

// Torch holds its allocator's mutex here, which an initialiser of a library may wait for while it is loaded: not a
// moment for the loader's lock. Only initialisers run before the next look; what they report goes no further. A process
// without a session has no such mutex: CUDA has not been used.
static void *original(enum symbol symbol) {
    void *known = atomic_load_explicit(&originals[symbol], memory_order_acquire);
    return known || mt_records() ? known : look_for(symbol);
}

// All below under the guard.

static uint32_t device_context(unsigned device) {
    if (mt_thread.context && mt_context_device(mt_thread.context) == (int)device) {
        return mt_context_id(mt_thread.context);
    }
    uint32_t id = atomic_load_explicit(&devices[device].context, memory_order_relaxed);
    if (!id) {
        id = mt_define_context(mt_session_trace(), device);
        atomic_store_explicit(&devices[device].context, id, memory_order_relaxed);
    }
    return id;
}

// Half of what PyTorch does with memory is to free: there the Python line says enough.
static uint32_t stack_of(enum api api) {
    struct mt_trace *trace = mt_session_trace();
    if (api == API_SAMPLE) return 0;
    return api == API_FREE || api == API_CPU_FREE ? mt_unwind_line(trace) : mt_unwind_stack(trace);
}

static struct mt_event new_event(enum api api, uint32_t context) {
    uint32_t id = atomic_load_explicit(&api_ids[api], memory_order_relaxed);
    if (!id) {
        id = mt_define_api(mt_session_trace(), apis[api].name, apis[api].effect, apis[api].memory);
        atomic_store_explicit(&api_ids[api], id, memory_order_relaxed);
    }
    return (struct mt_event){
        .time_ns = mt_now_ns(),
        .api = id,
        .stack = stack_of(api),
        .context = context,
    };
}

static void write_fact(enum symbol symbol) {
    if (atomic_load_explicit(&reported, memory_order_relaxed)) return;
    if (atomic_exchange_explicit(&reported, true, memory_order_relaxed)) return;
    mt_define_fact(mt_session_trace(), MT_FACT_TORCH, symbol_names[symbol]);
}

static void record_block(uint64_t block, int64_t bytes, enum api malloc_api, enum api free_api, uint32_t context) {
    struct mt_event event = new_event(bytes > 0 ? malloc_api : free_api, context);
    if (bytes > 0) {
        mt_write_alloc(mt_thread.lane, &event, block, (uint64_t)bytes);
    } else {
        mt_write_free(mt_thread.lane, &event, block);
    }
}

static void record_figures(unsigned device, int64_t change, uint64_t allocated, uint64_t reserved, uint32_t context) {
    uint64_t expected = atomic_load_explicit(&devices[device].allocated, memory_order_relaxed) + (uint64_t)change;
    bool as_expected = atomic_load_explicit(&devices[device].known, memory_order_relaxed) && allocated == expected &&
                       reserved == atomic_load_explicit(&devices[device].reserved, memory_order_relaxed);
    atomic_store_explicit(&devices[device].allocated, allocated, memory_order_relaxed);
    if (as_expected) return;
    atomic_store_explicit(&devices[device].reserved, reserved, memory_order_relaxed);
    atomic_store_explicit(&devices[device].known, true, memory_order_relaxed);

    struct mt_event event = new_event(API_SAMPLE, context);
    const struct mt_tagged tags[] = {
        {MT_TAG_MEMORY, MT_MEMORY_TENSOR},
        {MT_TAG_DEVICE, device},
        {MT_TAG_ALLOCATED, allocated},
        {MT_TAG_ALLOCATOR_RESERVED, reserved},
    };
    mt_write_event(mt_thread.lane, MT_EFFECT_POOL_SAMPLED, &event, tags, sizeof tags / sizeof tags[0]);
}

struct figures {
    uint64_t allocated;
    uint64_t reserved;
};

// What the allocator reports.
struct report {
    enum symbol symbol;
    void *block;
    int64_t bytes;
    const struct figures *figures; // NULL: it has none
    struct c10_device device;
};

static bool has_device(const struct report *report) {
    return report->device.type == DEVICE_CUDA && report->device.index >= 0 && report->device.index < DEVICES;
}

static void write_usage(void *argument) {
    const struct report *report = argument;
    const struct figures *figures = report->figures;
    if (report->device.type == DEVICE_CPU) {
        record_block((uintptr_t)report->block, report->bytes, API_CPU_MALLOC, API_CPU_FREE, 0);
        return;
    }
    unsigned index = (unsigned)report->device.index;
    uint32_t context = device_context(index);
    write_fact(report->symbol);
    record_block((uintptr_t)report->block, report->bytes, API_MALLOC, API_FREE, context);
    if (figures) record_figures(index, report->bytes, figures->allocated, figures->reserved, context);
}

static void record_usage(enum symbol symbol, void *block, int64_t bytes, const struct figures *figures,
                         struct c10_device device) {
    struct report report = {symbol, block, bytes, figures, device};
    if (bytes != 0 && (device.type == DEVICE_CPU || has_device(&report))) mt_guarded(write_usage, &report);
}

static void write_out_of_memory(void *argument) {
    const struct report *report = argument;
    struct mt_event event = new_event(API_OUT_OF_MEMORY, device_context((unsigned)report->device.index));
    const struct mt_tagged tags[] = {
        {MT_TAG_BYTES, (uint64_t)report->bytes},
        {MT_TAG_DEVICE, (uint64_t)report->device.index},
        {MT_TAG_ALLOCATED, report->figures->allocated},
        {MT_TAG_ALLOCATOR_RESERVED, report->figures->reserved},
    };
    mt_write_event(mt_thread.lane, MT_EFFECT_OUT_OF_MEMORY, &event, tags, sizeof tags / sizeof tags[0]);
}

static void usage(enum symbol symbol, void *block, int64_t bytes, size_t allocated, size_t reserved,
                  struct c10_device device) {
    usage_fn *theirs = (usage_fn *)original(symbol);
    record_usage(symbol, block, bytes, &(struct figures){allocated, reserved}, device);
    if (theirs) theirs(block, bytes, allocated, reserved, device);
}

static void out_of_memory(enum symbol symbol, int64_t bytes, size_t allocated, size_t reserved,
                          struct c10_device device) {
    out_of_memory_fn *theirs = (out_of_memory_fn *)original(symbol);
    const struct figures figures = {allocated, reserved};
    struct report report = {symbol, NULL, bytes, &figures, device};
    if (has_device(&report)) mt_guarded(write_out_of_memory, &report);
    if (theirs) theirs(bytes, allocated, reserved, device);
}

void USAGE(void *block, int64_t bytes, size_t allocated, size_t reserved, struct c10_device device) {
    usage(SYMBOL_USAGE, block, bytes, allocated, reserved, device);
}

void USAGE_SIGNED(void *block, int64_t bytes, size_t allocated, size_t reserved, struct c10_device device) {
    usage(SYMBOL_USAGE_SIGNED, block, bytes, allocated, reserved, device);
}

void USAGE_OLD(void *block, int64_t bytes, struct c10_device device) {
    usage_without_figures_fn *theirs = (usage_without_figures_fn *)original(SYMBOL_USAGE_OLD);
    record_usage(SYMBOL_USAGE_OLD, block, bytes, NULL, device);
    if (theirs) theirs(block, bytes, device);
}

void OOM(int64_t bytes, size_t allocated, size_t reserved, struct c10_device device) {
    out_of_memory(SYMBOL_OOM, bytes, allocated, reserved, device);
}

void OOM_SIGNED(int64_t bytes, size_t allocated, size_t reserved, struct c10_device device) {
    out_of_memory(SYMBOL_OOM_SIGNED, bytes, allocated, reserved, device);
}
