/*
 * A stand-in for JAX's xla_cuda_plugin.so: it takes buffers from the driver as XLA does, each by virtual memory in
 * whole pages, and compiles as XLA does, inside a range of its own, while another thread tries the code out on buffers.
 */
#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGE ((size_t)2 << 20)
#define MAX  16

static struct buffer {
    CUdeviceptr address;
    CUmemGenericAllocationHandle memory;
    size_t bytes;
} buffers[MAX];

uint64_t fake_xla_take(size_t bytes);
void fake_xla_give(uint64_t address);
void fake_xla_compile(const char *module);

static void check(CUresult result) {
    if (result == CUDA_SUCCESS) return;
    fprintf(stderr, "xla_cuda_plugin: error %d\n", result);
    exit(1);
}

uint64_t fake_xla_take(size_t bytes) {
    const CUmemAllocationProp kind = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    const CUmemAccessDesc access = {.location = kind.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    struct buffer *buffer = buffers;
    while (buffer->bytes) buffer++;
    buffer->bytes = (bytes + PAGE - 1) / PAGE * PAGE;
    check(cuMemCreate(&buffer->memory, buffer->bytes, &kind, 0));
    check(cuMemAddressReserve(&buffer->address, buffer->bytes, 0, 0, 0));
    check(cuMemMap(buffer->address, buffer->bytes, 0, buffer->memory, 0));
    check(cuMemSetAccess(buffer->address, buffer->bytes, &access, 1));
    return buffer->address;
}

void fake_xla_give(uint64_t address) {
    struct buffer *buffer = buffers;
    while (buffer->address != address) buffer++;
    check(cuMemUnmap(buffer->address, buffer->bytes));
    check(cuMemRelease(buffer->memory));
    check(cuMemAddressFree(buffer->address, buffer->bytes));
    *buffer = (struct buffer){0};
}

static void *try_out(void *context) {
    check(cuCtxSetCurrent(context));
    uint64_t input = fake_xla_take(18 * PAGE), output = fake_xla_take(PAGE);
    fake_xla_give(input);
    fake_xla_give(output);
    return NULL;
}

void fake_xla_compile(const char *module) {
    static nvtxDomainHandle_t domain;
    char text[64];
    CUcontext context;
    pthread_t thread;
    if (!domain) domain = nvtxDomainCreateA("TSL");
    snprintf(text, sizeof text, "XlaCompile:#module=%s#", module);
    const nvtxEventAttributes_t range = {.version = NVTX_VERSION,
                                         .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                         .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                         .message = {.ascii = text}};
    check(cuCtxGetCurrent(&context));
    nvtxDomainRangePushEx(domain, &range);
    if (pthread_create(&thread, NULL, try_out, context) == 0) pthread_join(thread, NULL);
    nvtxDomainRangePop(domain);
}
