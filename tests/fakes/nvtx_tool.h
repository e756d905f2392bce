/*
 * What nvtx_tool.c saw; looked up with dlsym.
 */
#ifndef MEMTRACE_TESTS_FAKES_NVTX_TOOL_H
#define MEMTRACE_TESTS_FAKES_NVTX_TOOL_H

#include <nvtx3/nvToolsExt.h>

extern int fake_tool_pushes;
extern const char *fake_tool_marked; // the text of the registered string of the last domain mark

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table);

#endif
