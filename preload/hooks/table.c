/*
 * The functions behind the hooks, see hooks/table.h. They are looked up all at once, since a lookup takes the loader's
 * lock, which a call of the program's must not wait for. From then on it is known of every pointer whether it is the
 * driver's own.
 */
#include "preload/hooks/table.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "preload/elf_object.h"
#include "preload/entry_table.h"
#include "preload/guard.h"
#include "preload/real_dlsym.h"

static _Atomic(void *) own[MT_ENTRY_COUNT];    // the driver's; NULL: it has none, or was not loaded yet
static _Atomic(void *) other[MT_ENTRY_COUNT];  // somebody else's in front of it, that a lookup found; set once
static _Atomic(void *) behind[MT_ENTRY_COUNT]; // … that the global scope has behind ours
static atomic_bool own_known;

// Several threads may do this at once: they find the same. Failed lookups leave no trace in dlerror().
static bool find_own(void) {
    if (atomic_load_explicit(&own_known, memory_order_acquire)) return true;
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    for (unsigned row = 0; library && row < MT_ENTRY_COUNT; row++) {
        void *function = mt_real_dlsym(library, mt_entry_points[row].name);
        if (function != mt_hooks[row][MT_HOOK_OUTER]) atomic_store_explicit(&own[row], function, memory_order_relaxed);
    }
    dlerror();
    return library != NULL;
}

// Other interposers' functions of these names, in the libraries behind ours.
static void find_behind(void) {
    for (unsigned row = 0; row < MT_ENTRY_COUNT; row++) {
        void *function = mt_next_symbol(mt_entry_points[row].name);
        bool is_own = function == atomic_load_explicit(&own[row], memory_order_relaxed);
        bool is_others = function && !is_own && mt_elf_is_code(function);
        atomic_store_explicit(&behind[row], is_others ? function : NULL, memory_order_release);
    }
}

void mt_hook_look(void) {
    if (!find_own()) return;
    find_behind();
    atomic_store_explicit(&own_known, true, memory_order_release);
}

void mt_hook_prepare(void) {
    if (!atomic_load_explicit(&own_known, memory_order_acquire)) mt_hook_look();
}

void *mt_hook_real(unsigned row, enum mt_hook_layer layer) {
    void *function = NULL;
    // While a session records this was done; before, a call can only fail.
    if (!mt_records()) mt_hook_prepare();
    if (layer == MT_HOOK_OUTER) function = atomic_load_explicit(&other[row], memory_order_acquire);
    if (layer == MT_HOOK_OUTER && !function) function = atomic_load_explicit(&behind[row], memory_order_acquire);
    return function ? function : atomic_load_explicit(&own[row], memory_order_acquire);
}

int mt_hook_row(const char *name) {
    for (unsigned row = 0; row < MT_ENTRY_COUNT; row++) {
        if (strcmp(mt_entry_points[row].name, name) == 0) return (int)row;
    }
    return -1;
}

bool mt_hook_is_own(unsigned row, const void *function) {
    return function && atomic_load_explicit(&own[row], memory_order_acquire) == function;
}

int mt_hook_row_of_function(const void *function) {
    if (!function) return -1;
    for (unsigned row = 0; row < MT_ENTRY_COUNT; row++) {
        if (mt_hook_is_own(row, function)) return (int)row;
    }
    return -1;
}

// Names that meant another function in an earlier version (cudaTypedefs.h), newest first.
static const struct {
    const char *name;
    int since;
    const char *meaning;
} versions[] = {
    {"cuArray3DCreate", 3020, "cuArray3DCreate_v2"},
    {"cuArrayCreate", 3020, "cuArrayCreate_v2"},
    {"cuCtxCreate", 12050, "cuCtxCreate_v4"},
    {"cuCtxCreate", 11040, "cuCtxCreate_v3"},
    {"cuCtxCreate", 3020, "cuCtxCreate_v2"},
    {"cuCtxDestroy", 4000, "cuCtxDestroy_v2"},
    {"cuCtxSynchronize", 13000, "cuCtxSynchronize_v2"},
    {"cuDevicePrimaryCtxRelease", 11000, "cuDevicePrimaryCtxRelease_v2"},
    {"cuDevicePrimaryCtxReset", 11000, "cuDevicePrimaryCtxReset_v2"},
    {"cuGraphAddNode", 12030, "cuGraphAddNode_v2"},
    {"cuGraphInstantiate", 12000, "cuGraphInstantiateWithFlags"},
    {"cuGraphInstantiate", 11000, "cuGraphInstantiate_v2"},
    {"cuIpcOpenMemHandle", 11000, "cuIpcOpenMemHandle_v2"},
    {"cuMemAlloc", 3020, "cuMemAlloc_v2"},
    {"cuMemAllocHost", 3020, "cuMemAllocHost_v2"},
    {"cuMemAllocPitch", 3020, "cuMemAllocPitch_v2"},
    {"cuMemFree", 3020, "cuMemFree_v2"},
    {"cuMemHostRegister", 6050, "cuMemHostRegister_v2"},
    {"cuStreamBeginCapture", 10010, "cuStreamBeginCapture_v2"},
    {"cuStreamDestroy", 4000, "cuStreamDestroy_v2"},
};

int mt_hook_row_of_version(const char *name, int version, uint64_t flags) {
    const char *meaning = name;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        if (version >= versions[i].since && strcmp(versions[i].name, name) == 0) {
            meaning = versions[i].meaning;
            break;
        }
    }
    if (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) {
        char twin[96];
        size_t length = strlen(meaning);
        if (length + sizeof "_ptsz" <= sizeof twin) {
            memcpy(twin, meaning, length);
            memcpy(twin + length, "_ptsz", sizeof "_ptsz");
            int row = mt_hook_row(twin);
            if (row >= 0) return row;
        }
    }
    return mt_hook_row(meaning);
}

void *mt_hook_replacement(unsigned row, void *function) {
    void *none = NULL;
    if (!function || function == mt_hooks[row][MT_HOOK_INNER] || function == mt_hooks[row][MT_HOOK_OUTER]) {
        return function;
    }
    if (mt_hook_is_own(row, function)) return mt_hooks[row][MT_HOOK_INNER];
    atomic_compare_exchange_strong(&other[row], &none, function);
    return atomic_load(&other[row]) == function ? mt_hooks[row][MT_HOOK_OUTER] : function;
}

bool mt_hooks_in_place(void) {
    void *program = dlopen(NULL, RTLD_LAZY);
    const void *first = program ? mt_real_dlsym(program, "cuGetProcAddress_v2") : NULL;
    Dl_info its, ours;
    if (!first) dlerror();
    return first && dladdr(first, &its) && dladdr(mt_hooks, &ours) && its.dli_fbase == ours.dli_fbase;
}
