/*
 * Another tool's NVTX injection, as test_nvtx_chain.c finds it behind ours: it answers some functions with numbers of
 * its own, and leaves the others alone.
 */
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include <string.h>

#include "tests/fakes/nvtx_tool.h"

int fake_tool_pushes, fake_tool_extensions;
const char *fake_tool_marked = "";

static int NVTX_API push(const char *text) {
    (void)text;
    return 100 + fake_tool_pushes++;
}

static nvtxRangeId_t NVTX_API start(const char *text) {
    (void)text;
    return 7000;
}

static nvtxDomainHandle_t NVTX_API create(const char *name) {
    (void)name;
    return (nvtxDomainHandle_t)0x1230;
}

static nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t domain, const char *text) {
    return domain == (nvtxDomainHandle_t)0x1230 ? (nvtxStringHandle_t)text : NULL;
}

static void NVTX_API mark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event) {
    if (domain == (nvtxDomainHandle_t)0x1230) fake_tool_marked = (const char *)event->message.registered;
}

static nvtxResourceHandle_t NVTX_API create_resource(nvtxDomainHandle_t domain, nvtxResourceAttributes_t *resource) {
    if (domain == (nvtxDomainHandle_t)0x1230) fake_tool_marked = (const char *)resource->message.registered;
    return (nvtxResourceHandle_t)0x4560;
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table) {
    const NvtxExportTableCallbacks *callbacks = get_export_table(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table;
    unsigned count;
    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &count);
    *table[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)push;
    *table[NVTX_CBID_CORE_RangeStartA] = (NvtxFunctionPointer)start;
    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &count);
    *table[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)create;
    *table[NVTX_CBID_CORE2_DomainRegisterStringA] = (NvtxFunctionPointer)register_string;
    *table[NVTX_CBID_CORE2_DomainMarkEx] = (NvtxFunctionPointer)mark;
    *table[NVTX_CBID_CORE2_DomainResourceCreate] = (NvtxFunctionPointer)create_resource;
    return 1;
}

int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module) {
    (void)module;
    fake_tool_extensions++;
    return 1;
}
