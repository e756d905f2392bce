// What a program can ask of a device. The answers are an H200's where they matter; the name says what it is.
#include "tests/simcuda/driver/config.h"
#include "tests/simcuda/driver/device.h"
#include <stdio.h>
#include <string.h>

// Attributes that aren't zero and are the same for every device.
static const struct {
    CUdevice_attribute attribute;
    int value;
} attributes[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
    {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3201000},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 62914560},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32},
    {CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 1},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, SIM_MULTIPROCESSORS},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, SIM_THREADS_PER_MULTIPROCESSOR},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
    {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
    {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR},
    {CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 1},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS, 1},
    {CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 2},
};

static struct sim_device *checked(CUdevice ordinal, const void *out, CUresult *result) {
    struct sim_device *device = sim_device(ordinal);
    *result = !device ? CUDA_ERROR_INVALID_DEVICE : out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    return *result == CUDA_SUCCESS ? device : NULL;
}

CUresult sim_cuDeviceGet(CUdevice *device, int ordinal) {
    CUresult result;
    if (checked(ordinal, device, &result)) *device = ordinal;
    return result;
}

CUresult sim_cuDeviceGetCount(int *count) {
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    *count = sim_device_count();
    return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetName(char *name, int len, CUdevice dev) {
    CUresult result;
    if (checked(dev, name, &result) && len > 0) snprintf(name, (size_t)len, "Simulated GPU");
    return result;
}

CUresult sim_cuDeviceGetUuid(CUuuid *uuid, CUdevice dev) {
    CUresult result;
    const struct sim_device *device = checked(dev, uuid, &result);
    if (device) sim_uuid(device->index, uuid->bytes);
    return result;
}

CUresult sim_cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev) {
    return sim_cuDeviceGetUuid(uuid, dev);
}

CUresult sim_cuDeviceGetLuid(char *luid, unsigned int *deviceNodeMask, CUdevice dev) {
    (void)luid;
    (void)deviceNodeMask;
    return sim_device(dev) ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_DEVICE;
}

CUresult sim_cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev) {
    CUresult result;
    const struct sim_device *device = checked(dev, bytes, &result);
    if (device) *bytes = device->capacity;
    return result;
}

CUresult sim_cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev) {
    CUresult result;
    const struct sim_device *device = checked(dev, pi, &result);
    if (!device) return result;
    if (attrib <= 0 || attrib >= CU_DEVICE_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
    *pi = attrib == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID ? device->index + 1 : 0;
    for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
        if (attributes[i].attribute == attrib) *pi = attributes[i].value;
    return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetProperties(CUdevprop *prop, CUdevice dev) {
    CUresult result;
    if (checked(dev, prop, &result))
        *prop = (CUdevprop){.maxThreadsPerBlock = 1024,
                            .maxThreadsDim = {1024, 1024, 64},
                            .maxGridSize = {2147483647, 65535, 65535},
                            .sharedMemPerBlock = 49152,
                            .totalConstantMemory = 65536,
                            .SIMDWidth = 32,
                            .memPitch = 2147483647,
                            .regsPerBlock = 65536,
                            .clockRate = 1980000,
                            .textureAlign = 512};
    return result;
}

CUresult sim_cuDeviceComputeCapability(int *major, int *minor, CUdevice dev) {
    CUresult result;
    if (minor && checked(dev, major, &result)) {
        *major = 9;
        *minor = 0;
        return CUDA_SUCCESS;
    }
    return minor ? result : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev) {
    CUresult result;
    const struct sim_device *device = checked(dev, pciBusId, &result);
    if (device && len < 13) return CUDA_ERROR_INVALID_VALUE;
    if (device) snprintf(pciBusId, (size_t)len, "0000:%02X:00.0", (unsigned)device->index + 1);
    return result;
}

CUresult sim_cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId) {
    if (!dev || !pciBusId) return CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; i < sim_device_count(); i++) {
        char id[16];
        if (sim_cuDeviceGetPCIBusId(id, sizeof(id), i) == CUDA_SUCCESS && !strcasecmp(id, pciBusId)) {
            *dev = i;
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_INVALID_DEVICE;
}

CUresult sim_cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev) {
    if (!sim_device(dev) || !sim_device(peerDev)) return CUDA_ERROR_INVALID_DEVICE;
    if (!canAccessPeer) return CUDA_ERROR_INVALID_VALUE;
    *canAccessPeer = dev != peerDev;
    return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice) {
    if (!sim_device(srcDevice) || !sim_device(dstDevice) || srcDevice == dstDevice) return CUDA_ERROR_INVALID_DEVICE;
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    *value =
        attrib == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED || attrib == CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
    return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev) {
    (void)type;
    CUresult result;
    if (checked(dev, pi, &result)) *pi = 0;
    return result;
}
