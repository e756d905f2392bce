/*
 * Writing down the GPUs, see effects/device_facts.h.
 */
#include "preload/effects/device_facts.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "preload/driver.h"
#include "preload/effects/capture.h"
#include "preload/session.h"
#include "tracer/facts.h"

static void write_device(CUdevice device) {
    char name[256] = "";
    size_t bytes = 0;
    CUuuid uuid;
    memset(&uuid, 0, sizeof uuid);
    if (mt_driver.device_get_name) mt_driver.device_get_name(name, sizeof name, device);
    if (mt_driver.device_total_mem) mt_driver.device_total_mem(&bytes, device);
    // The second version answers with the UUID of the MIG slice where there is one.
    if (mt_driver.device_get_uuid_v2) {
        mt_driver.device_get_uuid_v2(&uuid, device);
    } else if (mt_driver.device_get_uuid) {
        mt_driver.device_get_uuid(&uuid, device);
    }
    mt_define_device(mt_session_trace(), (uint32_t)device, bytes, name, (const uint8_t *)uuid.bytes);
}

void mt_device_facts_write(void) {
    static atomic_bool written;
    int count = 0, version = 0;
    if (atomic_load_explicit(&written, memory_order_relaxed)) return;
    if (!mt_driver.device_get_count || !mt_may_ask()) return;
    if (mt_driver.device_get_count(&count) != CUDA_SUCCESS || atomic_exchange(&written, true)) return;

    if (mt_driver.driver_get_version && mt_driver.driver_get_version(&version) == CUDA_SUCCESS) {
        char text[32];
        snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
        mt_define_fact(mt_session_trace(), MT_FACT_CUDA, text);
    }
    for (CUdevice device = 0; device < count; device++) write_device(device);
}
