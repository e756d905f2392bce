/*
 * Graph memory as a stack of growths, see effects/graph_memory.h: the figure of a device grew by 64 MiB, so 64 MiB were
 * allocated by the call that was just made; it fell, so the latest growths are gone. What the driver gives back
 * singly is not known better than that, and their sum is right at all times.
 */
#include "preload/effects/graph_memory.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "preload/driver.h"
#include "preload/effects/capture.h"
#include "preload/effects/context_map.h"
#include "preload/record.h"

#define DEVICES_MAX 64
#define GROWTHS_MAX 256

struct growths {
    uint64_t reserved; // bytes, the sum of `bytes`
    unsigned count;
    uint32_t serial; // of the next growth
    struct {
        uint64_t bytes;
        uint32_t serial;
    } growths[GROWTHS_MAX];
};

static _Atomic(uint64_t) expected; // a bit per device
// Over `devices`. Never waited for: who finds it taken leaves the look to the next call.
static atomic_flag busy = ATOMIC_FLAG_INIT;
static struct growths devices[DEVICES_MAX];
static atomic_bool was_reset[DEVICES_MAX]; // since the last look

// Growths are objects of no handle: a number that no pointer has.
static uint64_t object(CUdevice device, uint32_t serial) {
    return (uint64_t)1 << 62 | (uint64_t)device << 32 | serial;
}

void mt_graph_memory_expected(CUdevice device) {
    if (device < 0 || device >= DEVICES_MAX) return;
    atomic_fetch_or_explicit(&expected, (uint64_t)1 << device, memory_order_relaxed);
}

static void write_growth(const struct mt_call *call, CUdevice device, uint32_t serial, uint64_t bytes) {
    const struct mt_tagged tags[] = {{MT_TAG_OBJECT, object(device, serial)},
                                     {MT_TAG_BYTES, bytes},
                                     {MT_TAG_DEVICE, (uint64_t)device},
                                     {MT_TAG_MEMORY, MT_MEMORY_GRAPH}};
    mt_record_effect(call, MT_EFFECT_ALLOCATED, MT_AFTER_CALL, NULL, tags, 4);
}

static void write_loss(const struct mt_call *call, CUdevice device, uint32_t serial) {
    const struct mt_tagged tags[] = {
        {MT_TAG_OBJECT, object(device, serial)}, {MT_TAG_DEVICE, (uint64_t)device}, {MT_TAG_MEMORY, MT_MEMORY_GRAPH}};
    mt_record_effect(call, MT_EFFECT_FREED, MT_AFTER_CALL, NULL, tags, 3);
}

static void grow(const struct mt_call *call, struct growths *device, CUdevice ordinal, uint64_t bytes) {
    if (device->count == GROWTHS_MAX) { // very many: the last two become one
        write_loss(call, ordinal, device->growths[--device->count].serial);
        bytes += device->growths[device->count].bytes;
    }
    device->growths[device->count].bytes = bytes;
    device->growths[device->count].serial = device->serial;
    write_growth(call, ordinal, device->serial++, bytes);
    device->count++;
}

static void shrink(const struct mt_call *call, struct growths *device, CUdevice ordinal, uint64_t bytes) {
    while (bytes && device->count) {
        uint64_t last = device->growths[--device->count].bytes;
        write_loss(call, ordinal, device->growths[device->count].serial);
        if (last > bytes) grow(call, device, ordinal, last - bytes);
        bytes = last > bytes ? 0 : bytes - last;
    }
}

// What the device's graphs have; false when the driver can't say.
static bool ask(CUdevice device, uint64_t *reserved) {
    CUstreamCaptureMode mode;
    if (!mt_driver.device_get_graph_mem_attribute || !mt_ask_begin(&mode)) return false;
    CUresult result =
        mt_driver.device_get_graph_mem_attribute(device, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, reserved);
    mt_ask_end(mode);
    return result == CUDA_SUCCESS;
}

static void look(const struct mt_call *call, CUdevice ordinal) {
    struct mt_call there = *call;
    struct growths *device = &devices[ordinal];
    uint64_t reserved = 0;
    if (!ask(ordinal, &reserved)) return;
    // Memory of another device than the current one ends with that device's context.
    if (mt_context_device(call->context) != ordinal) there.context = mt_context_on(ordinal);
    if (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) return;
    if (atomic_exchange_explicit(&was_reset[ordinal], false, memory_order_relaxed)) {
        device->reserved = 0;
        device->count = 0;
    }
    if (reserved > device->reserved) grow(&there, device, ordinal, reserved - device->reserved);
    if (reserved < device->reserved) shrink(&there, device, ordinal, device->reserved - reserved);
    device->reserved = reserved;
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

void mt_graph_memory_look(const struct mt_call *call) {
    uint64_t left = atomic_load_explicit(&expected, memory_order_relaxed);
    for (CUdevice device = 0; left; device++, left >>= 1) {
        if (left & 1) look(call, device);
    }
}

void mt_graph_memory_reset(CUdevice device) {
    if (device >= 0 && device < DEVICES_MAX) atomic_store_explicit(&was_reset[device], true, memory_order_relaxed);
}
