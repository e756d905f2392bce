/*
 * What nvtx_tool.c saw; looked up with dlsym.
 */
#ifndef MEMTRACE_TESTS_FAKES_NVTX_TOOL_H
#define MEMTRACE_TESTS_FAKES_NVTX_TOOL_H

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtMem.h>

extern int fake_tool_pushes, fake_tool_extensions;
extern const char *fake_tool_marked; // the registered string of the last mark or resource of a domain

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table);
int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module);

#endif
