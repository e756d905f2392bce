/*
 * Which loaded module an address of code lies in, and where that has its table of frame information: asked at events,
 * so no lock of the loader's is taken. From 2.35 on the C library answers that itself, from a copy of its list that is
 * read without a lock (_dl_find_object). Before, we keep such a copy. Used by walk.c.
 */
#ifndef MEMTRACE_PRELOAD_UNWIND_MODULES_H
#define MEMTRACE_PRELOAD_UNWIND_MODULES_H

#include "preload/unwind/cfi.h"

// Once, before the first question. `ask_loader`: where it can be asked; without, the copy is used everywhere (tests).
void mt_unwind_modules_start(bool ask_loader);

// Takes the copy anew, if one is used. For whoever saw a library come or go: it takes the loader's lock.
void mt_unwind_modules_refresh(void);

// False for an address in no module that is known. Async-signal-safe.
bool mt_unwind_module(uintptr_t address, struct mt_code *code);

#endif
