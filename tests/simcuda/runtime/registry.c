// What nvcc's start-up code registers: the program's device code, and the host symbols of its kernels and variables. A
// library is handed to the driver when the first of its kernels or variables is used.
#include "tests/simcuda/runtime/registry.h"
#include "tests/simcuda/runtime/nvcc_abi.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

static struct rt_symbol *symbols[BUCKETS];
// Recursive: a profiler that is called back from the driver below may call the runtime.
static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static struct rt_symbol **bucket_of(const void *host) {
    return &symbols[((uintptr_t)host >> 4) * 2654435761u % BUCKETS];
}

static struct rt_symbol *find(const void *host, bool variable) {
    for (struct rt_symbol *symbol = *bucket_of(host); symbol; symbol = symbol->next)
        if (symbol->host == host && symbol->variable == variable) return symbol;
    return NULL;
}

static void add(void **binary, const void *host, const char *name, bool variable, bool managed) {
    struct rt_symbol *symbol = calloc(1, sizeof(*symbol));
    if (!symbol) return; // the kernel isn't found then
    *symbol = (struct rt_symbol){
        .host = host, .name = name, .binary = (struct rt_binary *)binary, .variable = variable, .managed = managed};
    pthread_mutex_lock(&mutex);
    symbol->next = *bucket_of(host);
    *bucket_of(host) = symbol;
    pthread_mutex_unlock(&mutex);
}

void **__cudaRegisterFatBinary(void *fatCubin) {
    struct rt_binary *binary = calloc(1, sizeof(*binary));
    if (binary) binary->image = fatCubin;
    return (void **)binary;
}

void __cudaRegisterFatBinaryEnd(void **fatCubinHandle) {
    (void)fatCubinHandle;
}

// At exit, or before a dlclose. The driver may be gone already: then it refuses, and that's fine.
void __cudaUnregisterFatBinary(void **fatCubinHandle) {
    struct rt_binary *binary = (struct rt_binary *)fatCubinHandle;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < BUCKETS; i++)
        for (struct rt_symbol **at = &symbols[i]; *at;) {
            struct rt_symbol *symbol = *at;
            if (symbol->binary == binary) {
                *at = symbol->next;
                free(symbol);
            } else {
                at = &symbol->next;
            }
        }
    pthread_mutex_unlock(&mutex);
    if (binary && binary->library) rt_driver()->cuLibraryUnload(binary->library);
    free(binary);
}

void __cudaRegisterFunction(void **fatCubinHandle, const char *hostFun, char *deviceFun, const char *deviceName,
                            int thread_limit, uint3 *tid, uint3 *bid, dim3 *bDim, dim3 *gDim, int *wSize) {
    (void)deviceFun;
    (void)thread_limit;
    (void)tid;
    (void)bid;
    (void)bDim;
    (void)gDim;
    (void)wSize;
    add(fatCubinHandle, hostFun, deviceName, false, false);
}

void __cudaRegisterVar(void **fatCubinHandle, char *hostVar, char *deviceAddress, const char *deviceName, int ext,
                       size_t size, int constant, int global) {
    (void)deviceAddress;
    (void)ext;
    (void)size;
    (void)constant;
    (void)global;
    add(fatCubinHandle, hostVar, deviceName, true, false);
}

void __cudaRegisterManagedVar(void **fatCubinHandle, void **hostVarPtrAddress, char *deviceAddress,
                              const char *deviceName, int ext, size_t size, int constant, int global) {
    (void)deviceAddress;
    (void)ext;
    (void)size;
    (void)constant;
    (void)global;
    add(fatCubinHandle, hostVarPtrAddress, deviceName, true, true);
}

void __cudaRegisterHostVar(void **fatCubinHandle, const char *deviceName, char *hostVar, size_t size) {
    (void)fatCubinHandle;
    (void)deviceName;
    (void)hostVar;
    (void)size;
}

void __cudaRegisterUnifiedTable(void **fatCubinHandle, void *table) {
    (void)fatCubinHandle;
    (void)table;
}

static cudaError_t open_library(struct rt_binary *binary) {
    if (binary->library) return cudaSuccess;
    return rt_error(rt_driver()->cuLibraryLoadData(&binary->library, binary->image, NULL, NULL, 0, NULL, NULL, 0));
}

// Managed variables are reached through a pointer on the host, which is set before the program's first use.
char __cudaInitModule(void **fatCubinHandle) {
    struct rt_binary *binary = (struct rt_binary *)fatCubinHandle;
    if (!binary || rt_prepare(CONTEXT) != cudaSuccess) return 0;
    pthread_mutex_lock(&mutex);
    bool opened = open_library(binary) == cudaSuccess;
    for (int i = 0; opened && i < BUCKETS; i++)
        for (struct rt_symbol *symbol = symbols[i]; symbol; symbol = symbol->next) {
            CUdeviceptr address;
            if (symbol->binary == binary && symbol->managed &&
                rt_driver()->cuLibraryGetManaged(&address, NULL, binary->library, symbol->name) == CUDA_SUCCESS)
                *(void **)symbol->host = (void *)address;
        }
    pthread_mutex_unlock(&mutex);
    return opened;
}

cudaError_t rt_kernel(const void *function, CUkernel *kernel) {
    pthread_mutex_lock(&mutex);
    struct rt_symbol *symbol = find(function, false);
    cudaError_t error = symbol ? cudaSuccess : cudaErrorInvalidDeviceFunction;
    if (symbol && !symbol->kernel) {
        error = open_library(symbol->binary);
        if (error == cudaSuccess)
            error = rt_error(rt_driver()->cuLibraryGetKernel(&symbol->kernel, symbol->binary->library, symbol->name));
        if (error == cudaErrorSymbolNotFound) error = cudaErrorInvalidDeviceFunction;
    }
    if (error == cudaSuccess) *kernel = symbol->kernel;
    pthread_mutex_unlock(&mutex);
    return error;
}

cudaError_t rt_variable(const void *host, CUdeviceptr *address, size_t *bytes) {
    pthread_mutex_lock(&mutex);
    struct rt_symbol *symbol = find(host, true);
    cudaError_t error = symbol ? open_library(symbol->binary) : cudaErrorInvalidSymbol;
    if (error == cudaSuccess) {
        PFN_cuLibraryGetGlobal_v12000 get =
            symbol->managed ? rt_driver()->cuLibraryGetManaged : rt_driver()->cuLibraryGetGlobal;
        error = rt_error(get(address, bytes, symbol->binary->library, symbol->name));
    }
    pthread_mutex_unlock(&mutex);
    return error == cudaErrorSymbolNotFound ? cudaErrorInvalidSymbol : error;
}

cudaError_t rt_cudaGetSymbolAddress(void **devPtr, const void *symbol) {
    return devPtr ? rt_variable(symbol, (CUdeviceptr *)devPtr, NULL) : cudaErrorInvalidValue;
}

cudaError_t rt_cudaGetSymbolSize(size_t *size, const void *symbol) {
    CUdeviceptr address;
    return size ? rt_variable(symbol, &address, size) : cudaErrorInvalidValue;
}
