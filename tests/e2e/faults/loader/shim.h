/*
 * What the preloaded shim.so offers to the programs under it; weak, since it isn't always there.
 */
#ifndef MEMTRACE_TESTS_E2E_FAULTS_LOADER_SHIM_H
#define MEMTRACE_TESTS_E2E_FAULTS_LOADER_SHIM_H

#include <stdbool.h>

// From now on libmemtrace.so must not enter the dynamic linker, on any thread; or may again.
void loader_shim_watch(bool on) __attribute__((weak));

// How often it has, so far.
unsigned long loader_shim_entered(void) __attribute__((weak));

#endif
