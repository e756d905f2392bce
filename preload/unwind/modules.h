/*
 * Which loaded module an address of code lies in, and where that has its table of frame information: asked at events,
 * so no lock of the loader's is taken. From 2.35 on the C library answers that itself, without a lock
 * (_dl_find_object); before, we look through its list of modules. Used by walk.c.
 */
#ifndef MEMTRACE_PRELOAD_UNWIND_MODULES_H
#define MEMTRACE_PRELOAD_UNWIND_MODULES_H

#include "preload/unwind/cfi.h"

// Once, before the first question. `ask_library`: where the C library can be asked; else its list is read everywhere
// (tests).
void mt_unwind_modules_start(bool ask_library);

// False for an address in no module that is known. Async-signal-safe; changes errno.
bool mt_unwind_module(uintptr_t address, struct mt_code *code);

#endif
