/*
 * What the programs on several devices share: a check that ends the program at the first runtime call that fails, and
 * ledger lines for memory of a device.
 */
#ifndef MEMTRACE_E2E_DEVICES_RUNTIME_H
#define MEMTRACE_E2E_DEVICES_RUNTIME_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#define RUNTIME(call) runtime_expect((call), #call, __FILE__, __LINE__)

void runtime_expect(cudaError_t answer, const char *call, const char *file, int line);

// cudaMalloc and cudaFree, whichever device is current; `device` is whose memory it is.
void *runtime_malloc(unsigned device, uint64_t bytes);
void runtime_free(unsigned device, void *memory, uint64_t bytes);

// Whether the first two devices can access each other's memory.
int runtime_are_peers(void);

#endif
