/*
 * Memory pools as stream-ordered allocation uses them: how much a pool has reserved changes as a side effect, when an
 * allocation does not fit and when freed memory goes back at a synchronisation. So the pools in use are looked at after
 * those calls, and what changed is written as POOL_SAMPLED. All functions run under the guard.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_POOLS_H
#define MEMTRACE_PRELOAD_EFFECTS_POOLS_H

#include "preload/call.h"

// An allocation came out of `pool`; NULL: out of the current pool of the device of call->context.
void mt_pool_used(const struct mt_call *call, CUmemoryPool pool, CUdeviceptr address, uint64_t bytes);

// Looks at all pools that were used: after a synchronisation or a trim.
void mt_pools_look(const struct mt_call *call);

// `device` has another current pool from now on.
void mt_pool_current(CUdevice device, CUmemoryPool pool);

// A pool came into sight that nobody may have created: a device's own. `device` -1: unknown.
void mt_pool_seen(const struct mt_call *call, CUmemoryPool pool, CUdevice device);

// The place of a pool whose memory is the host's.
#define MT_POOL_ON_HOST (-2)

// A pool was made; `device` -1: on none that is known, or MT_POOL_ON_HOST. The handle of an older pool may come back.
void mt_pool_add(CUmemoryPool pool, CUdevice device);

// Where a pool's memory is; -1: unknown, or MT_POOL_ON_HOST.
CUdevice mt_pool_device(CUmemoryPool pool);

// A pool is gone.
void mt_pool_remove(CUmemoryPool pool);

// A pool is about to be destroyed: from now on no thread asks the driver about it, unless it stays after all.
void mt_pool_leaves(CUmemoryPool pool);
void mt_pool_stays(CUmemoryPool pool);

// A device was reset and with it what its pools had reserved.
void mt_pools_forget_reserved(void);

// Before cuMemPoolDestroy: the pool leaves.
mt_effect_fn mt_effect_pool_destroy_begins;

// The effect function of the calls that wait for the device: no record unless a pool changed.
mt_effect_fn mt_effect_synchronize;

#endif
