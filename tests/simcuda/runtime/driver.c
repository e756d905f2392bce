// How the runtime reaches the driver: as the real one does, by dlopen of libcuda.so.1, dlsym of cuGetProcAddress_v2,
// and that for everything else, so that whatever is interposed on this way sees the same calls.
#include "tests/simcuda/runtime/runtime.h"
#include <dlfcn.h>
#include <pthread.h>

static struct rt_driver tables[2]; // legacy, per-thread
static const struct simcuda_bridge *bridge;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local bool thread_per_thread;

static void fill(struct rt_driver *table, PFN_cuGetProcAddress_v12000 get, cuuint64_t flags) {
    CUdriverProcAddressQueryResult status;
#define RT_DRIVER(name, version) get(#name, (void **)&table->name, version, flags, &status);
#include "tests/simcuda/runtime/driver_list.h"
}

static void load(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) return;
    PFN_cuGetProcAddress_v12000 get = (PFN_cuGetProcAddress_v12000)dlsym(library, "cuGetProcAddress_v2");
    const struct simcuda_bridge *(*find)(void) =
        (const struct simcuda_bridge *(*)(void))dlsym(library, "simcuda_bridge");
    if (!get || !find) return;
    fill(&tables[0], get, CU_GET_PROC_ADDRESS_LEGACY_STREAM);
    fill(&tables[1], get, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    if (tables[0].cuInit) bridge = find();
}

const struct simcuda_bridge *rt_bridge(void) {
    pthread_once(&once, load);
    return bridge;
}

const struct rt_driver *rt_driver(void) {
    return &tables[thread_per_thread];
}

bool rt_set_per_thread(bool per_thread) {
    bool before = thread_per_thread;
    thread_per_thread = per_thread;
    return before;
}
