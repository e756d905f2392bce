// The simulated device's settings, errors and end: each case is a process of its own, with its own environment.
#include "tests/unit/simcuda_test.h"
#include <cupti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Runs the case in a child with NAME=VALUE set; its result must be 0.
static void in_child(const char *name, const char *value, int (*run)(void)) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (name) setenv(name, value, 1);
        _exit(run());
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

// In a child: the number of the line that isn't so.
#define check(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) return __LINE__ % 255 + 1;                                                                   \
    } while (0)

static int four_devices_case(void) {
    int count, can;
    CUdevice device;
    CUuuid first, second;
    check(cuInit(0) == CUDA_SUCCESS);
    check(cuDeviceGetCount(&count) == CUDA_SUCCESS && count == 4);
    check(cuDeviceGet(&device, 3) == CUDA_SUCCESS);
    check(cuDeviceGet(&device, 4) == CUDA_ERROR_INVALID_DEVICE);
    check(cuDeviceGetUuid(&first, 0) == CUDA_SUCCESS && cuDeviceGetUuid(&second, 1) == CUDA_SUCCESS);
    check(memcmp(&first, &second, sizeof(first)) != 0);
    check(cudaDeviceCanAccessPeer(&can, 0, 1) == cudaSuccess && can);
    check(cudaSetDevice(2) == cudaSuccess);
    void *block;
    check(cudaMalloc(&block, 100) == cudaSuccess);
    struct cudaPointerAttributes attributes;
    check(cudaPointerGetAttributes(&attributes, block) == cudaSuccess && attributes.device == 2);
    check(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess);
    check(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
    return 0;
}

static void there_can_be_four_devices(void **state) {
    (void)state;
    in_child("SIMCUDA_DEVICES", "4", four_devices_case);
}

static int visible_case(void) {
    int count;
    char id[32];
    setenv("SIMCUDA_DEVICES", "4", 1);
    check(cuInit(0) == CUDA_SUCCESS);
    check(cuDeviceGetCount(&count) == CUDA_SUCCESS && count == 2);
    check(cuDeviceGetPCIBusId(id, sizeof(id), 0) == CUDA_SUCCESS && !strcmp(id, "0000:04:00.0"));
    check(cuDeviceGetPCIBusId(id, sizeof(id), 1) == CUDA_SUCCESS && !strcmp(id, "0000:02:00.0"));
    return 0;
}

static void visible_devices_are_picked_in_order(void **state) {
    (void)state;
    in_child("CUDA_VISIBLE_DEVICES", "3,1,7,0", visible_case);
    in_child("CUDA_VISIBLE_DEVICES", "GPU-73696d75-6c61-7465-642d-6770752d0003,1,GPU-7369,0", visible_case);
}

static int no_device_case(void) {
    check(cuInit(0) == CUDA_ERROR_NO_DEVICE);
    void *block;
    check(cudaMalloc(&block, 1) == cudaErrorNoDevice);
    return 0;
}

static void no_visible_device_is_an_error(void **state) {
    (void)state;
    in_child("CUDA_VISIBLE_DEVICES", "", no_device_case);
}

static int capacity_case(void) {
    size_t free_bytes, total_bytes;
    check(cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess);
    check(total_bytes == (size_t)141 << 30);
    char *block;
    check(cudaMalloc((void **)&block, (size_t)100 << 30) == cudaSuccess);
    block[((size_t)100 << 30) - 1] = 1; // backed only where it is touched
    return 0;
}

static void a_hundred_gib_need_no_memory(void **state) {
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); // it leaves no room for that many addresses
#endif
    in_child("SIMCUDA_MEMORY", "141GiB", capacity_case);
}

static int too_small_case(void) {
    check(cudaFree(NULL) == cudaErrorMemoryAllocation);
    return 0;
}

static void a_context_needs_its_memory(void **state) {
    (void)state;
    in_child("SIMCUDA_MEMORY", "256MiB", too_small_case);
}

static int second_fails_case(void) {
    void *block;
    check(cudaMalloc(&block, 1) == cudaSuccess);
    check(cudaMalloc(&block, 1) == cudaErrorUnknown);
    check(cudaMalloc(&block, 1) == cudaSuccess);
    check(cudaFree(block) == cudaErrorInvalidValue);
    return 0;
}

static void chosen_calls_fail(void **state) {
    (void)state;
    in_child("SIMCUDA_FAIL", "cuMemAlloc_v2:2:999,cuMemFree_v2:0:1", second_fails_case);
}

static int old_driver_case(void) {
    int version;
    void *block, *found = NULL;
    check(cuDriverGetVersion(&version) == CUDA_SUCCESS && version == 12040);
    check(cuGetProcAddress("cuMemAlloc", &found, 13000, 0, NULL) == CUDA_ERROR_INVALID_VALUE);
    check(cudaMalloc(&block, 1) == cudaErrorInsufficientDriver);
    return 0;
}

static void an_older_driver_is_insufficient(void **state) {
    (void)state;
    in_child("SIMCUDA_DRIVER_VERSION", "12040", old_driver_case);
}

static void ignore(void *userdata, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data) {
    (void)userdata;
    (void)domain;
    (void)id;
    (void)data;
}

static int subscribe_result(void) {
    CUpti_SubscriberHandle subscriber;
    return cuptiSubscribe(&subscriber, ignore, NULL);
}

static int missing_case(void) {
    check(subscribe_result() == CUPTI_ERROR_UNKNOWN);
    return 0;
}

static int too_new_case(void) {
    check(subscribe_result() == CUPTI_ERROR_NOT_INITIALIZED);
    return 0;
}

static int busy_case(void) {
    check(subscribe_result() == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    return 0;
}

static void cupti_can_refuse(void **state) {
    (void)state;
    in_child("SIMCUDA_CUPTI", "missing", missing_case);
    in_child("SIMCUDA_CUPTI", "too-new", too_new_case);
    in_child("SIMCUDA_CUPTI", "busy", busy_case);
}

static int before_init_case(void) {
    CUdeviceptr block;
    int count;
    check(cuMemAlloc(&block, 1) == CUDA_ERROR_NOT_INITIALIZED);
    check(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
    check(cuInit(1) == CUDA_ERROR_INVALID_VALUE);
    check(cuInit(0) == CUDA_SUCCESS);
    check(cuMemAlloc(&block, 1) == CUDA_ERROR_INVALID_CONTEXT);
    check(cuMemFree(0x1234) == CUDA_ERROR_INVALID_CONTEXT);
    CUcontext context;
    check(cuCtxCreate(&context, NULL, 0, 0) == CUDA_SUCCESS);
    check(cuMemFree(0x1234) == CUDA_ERROR_INVALID_VALUE);
    check(cuStreamSynchronize((CUstream)0x1230) == CUDA_ERROR_INVALID_HANDLE);
    check(cuCtxDestroy((CUcontext)0x1230) == CUDA_ERROR_INVALID_CONTEXT);
    return 0;
}

static void results_are_the_real_ones(void **state) {
    (void)state;
    in_child(NULL, NULL, before_init_case);
}

static int forked_case(void) {
    void *block;
    check(cudaMalloc(&block, 1) == cudaSuccess);
    pid_t child = fork();
    if (child == 0) _exit(cudaMalloc(&block, 1) == cudaErrorInitializationError ? 0 : 1);
    int status;
    check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    check(cudaFree(block) == cudaSuccess);
    return 0;
}

static void a_forked_child_cant_use_the_device(void **state) {
    (void)state;
    in_child(NULL, NULL, forked_case);
}

static void *late_block;

static void free_late(void) {
    CUresult result = cuMemFree((CUdeviceptr)late_block);
    _exit(result == CUDA_ERROR_DEINITIALIZED ? 0 : 1);
}

static int exit_case(void) {
    atexit(free_late); // registered before the driver's, so it runs after
    check(cudaMalloc(&late_block, 1) == cudaSuccess);
    exit(2);
}

static void the_driver_is_gone_at_exit(void **state) {
    (void)state;
    in_child(NULL, NULL, exit_case);
}

static int untouched_case(void) {
    char *block, host[4] = "abc";
    check(cudaMalloc((void **)&block, 4) == cudaSuccess);
    check(cudaMemcpy(block, host, 4, cudaMemcpyHostToDevice) == cudaSuccess);
    check(cudaMemset(block, 1, 4) == cudaSuccess);
    check(block[0] == 0);
    return 0;
}

static void kernels_can_be_off(void **state) {
    (void)state;
    in_child("SIMCUDA_KERNELS", "off", untouched_case);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_can_be_four_devices),       cmocka_unit_test(visible_devices_are_picked_in_order),
        cmocka_unit_test(no_visible_device_is_an_error),   cmocka_unit_test(a_hundred_gib_need_no_memory),
        cmocka_unit_test(a_context_needs_its_memory),      cmocka_unit_test(chosen_calls_fail),
        cmocka_unit_test(an_older_driver_is_insufficient), cmocka_unit_test(cupti_can_refuse),
        cmocka_unit_test(results_are_the_real_ones),       cmocka_unit_test(a_forked_child_cant_use_the_device),
        cmocka_unit_test(the_driver_is_gone_at_exit),      cmocka_unit_test(kernels_can_be_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
