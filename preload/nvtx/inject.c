/*
 * The two functions that the NVTX loader calls, for each library that embeds it: they put our callbacks into that
 * library's tables. Where another tool was set up first, it fills the tables before us, and we keep its functions to
 * pass calls on. See nvtx/feed.h.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "preload/nvtx/callbacks.h"
#include "preload/nvtx/feed.h"
#include "preload/nvtx/memory.h"
#include "preload/real_dlsym.h"

#define EXPORTED __attribute__((visibility("default")))

// One table: where each of our functions goes, and where the function of another tool is kept.
struct row {
    unsigned id;
    NvtxFunctionPointer ours;
    NvtxFunctionPointer *next;
};

// More than any table has of ours.
enum { MAX_ROWS = 32 };

// All function pointers have one representation here, as NVTX itself assumes.
#define CORE_ROW(name)                                                                                                 \
    {NVTX_CBID_CORE_##name, (NvtxFunctionPointer)mt_nvtx_ours.name, (NvtxFunctionPointer *)&mt_nvtx_next.name},
#define CORE2_ROW(name)                                                                                                \
    {NVTX_CBID_CORE2_##name, (NvtxFunctionPointer)mt_nvtx_ours.name, (NvtxFunctionPointer *)&mt_nvtx_next.name},

static size_t core_rows(struct row rows[MAX_ROWS]) {
    const struct row all[] = {MT_NVTX_CORE(CORE_ROW)};
    memcpy(rows, all, sizeof all);
    return sizeof all / sizeof all[0];
}

static size_t core2_rows(struct row rows[MAX_ROWS]) {
    const struct row all[] = {MT_NVTX_CORE2(CORE2_ROW)};
    memcpy(rows, all, sizeof all);
    return sizeof all / sizeof all[0];
}

// The table's entries point to the library's function pointers, which hold its initialisers until somebody sets them.
struct table {
    NvtxFunctionTable entries;
    unsigned count;
    NvtxFunctionPointer before[MAX_ROWS];
};

static bool get_table(const NvtxExportTableCallbacks *callbacks, NvtxCallbackModule module, struct table *table) {
    if (!callbacks->GetModuleFunctionTable(module, &table->entries, &table->count) || !table->entries) return false;
    for (unsigned i = 1; i < table->count && i < MAX_ROWS; i++) {
        table->before[i] = table->entries[i] ? *table->entries[i] : NULL;
    }
    return true;
}

static void fill_table(const struct table *table, const struct row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (rows[i].id >= table->count || !table->entries[rows[i].id]) continue; // an older NVTX
        NvtxFunctionPointer *entry = table->entries[rows[i].id];
        if (*entry != table->before[rows[i].id]) *rows[i].next = *entry;
        *entry = rows[i].ours;
    }
}

void mt_nvtx_chain(const char *theirs, const char *ours) {
    setenv(MT_NVTX_NEXT_VARIABLE, theirs, 1);
    setenv("NVTX_INJECTION64_PATH", ours, 1);
}

// The other tool's library, loaded once; NULL if there is none.
static void *next_library(void) {
    static _Atomic(void *) library;
    const char *path = getenv(MT_NVTX_NEXT_VARIABLE);
    if (!path || !*path) return NULL;
    void *handle = atomic_load(&library);
    if (handle) return handle;
    handle = dlopen(path, RTLD_LAZY);
    atomic_store(&library, handle);
    return handle;
}

EXPORTED int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table) {
    struct row rows[MAX_ROWS];
    struct table core, core2;
    const NvtxExportTableCallbacks *callbacks = get_export_table(NVTX_ETID_CALLBACKS);
    if (!callbacks || callbacks->struct_size < sizeof *callbacks) return 0;
    if (!get_table(callbacks, NVTX_CB_MODULE_CORE, &core)) return 0;
    bool has_core2 = get_table(callbacks, NVTX_CB_MODULE_CORE2, &core2); // since NVTX 2

    void *library = next_library();
    if (library) {
        NvtxInitializeInjectionNvtxFunc_t initialize =
            (NvtxInitializeInjectionNvtxFunc_t)mt_real_dlsym(library, "InitializeInjectionNvtx2");
        if (initialize) initialize(get_export_table);
    }
    fill_table(&core, rows, core_rows(rows));
    if (has_core2) fill_table(&core2, rows, core2_rows(rows));
    return 1;
}

// The memory extension is ours. In any other, a tool behind us would get our handle of a domain for its own, and follow
// it: there, nobody is set up.
EXPORTED int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module) {
    return module->moduleId == NVTX_EXT_MODULEID_MEM ? mt_nvtx_memory_attach(module) : 0;
}
