// CUPTI on the simulated device: who is called back, in what order, and with what.
#include "tests/unit/simcuda_test.h"
#include <cupti.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static CUpti_SubscriberHandle subscriber;
static char log_text[4096]; // "+name" at the start of a call, "-name=result" at its end
static CUpti_CallbackData last;
static uint64_t last_size;
static bool ask_inside;

static void log_add(const char *format, ...) {
    va_list arguments;
    size_t length = strlen(log_text);
    va_start(arguments, format);
    vsnprintf(log_text + length, sizeof(log_text) - length, format, arguments);
    va_end(arguments);
}

static void on_call(void *userdata, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *cbdata) {
    const CUpti_CallbackData *data = cbdata;
    (void)userdata;
    if (data->callbackSite == CUPTI_API_ENTER) {
        log_add("+%s ", data->functionName);
        *data->correlationData = 42;
    } else {
        log_add("-%s=%d ", data->functionName, *(int *)data->functionReturnValue);
        assert_int_equal(*data->correlationData, 42);
    }
    last = *data;
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API && id == CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2)
        last_size = ((const cuMemAlloc_v2_params *)data->functionParams)->bytesize;
    if (ask_inside && data->callbackSite == CUPTI_API_EXIT) {
        ask_inside = false;
        log_add("used=%lld ", (long long)(used_bytes() / MIB));
    }
}

static int subscribe(void **state) {
    (void)state;
    log_text[0] = 0;
    return cuptiSubscribe(&subscriber, on_call, NULL) != CUPTI_SUCCESS;
}

static int unsubscribe(void **state) {
    (void)state;
    return cuptiUnsubscribe(subscriber) != CUPTI_SUCCESS;
}

static void enable_driver(CUpti_CallbackId id) {
    expect_ok(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id));
}

static void runtime_call_encloses_driver_call(void **state) {
    (void)state;
    void *block;
    expect_ok(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API));
    enable_driver(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
    expect_ok(cudaMalloc(&block, 1000));
    assert_string_equal(log_text, "+cudaMalloc +cuMemAlloc_v2 -cuMemAlloc_v2=0 -cudaMalloc=0 ");
    assert_int_equal(last_size, 1000);
    assert_non_null(last.context);
    uint32_t uid;
    expect_ok(cuptiGetContextId(last.context, &uid));
    assert_int_equal(uid, last.contextUid);
    expect_ok(cudaFree(block));
}

static void only_what_is_enabled_is_reported(void **state) {
    (void)state;
    void *block;
    expect_ok(cudaMalloc(&block, 1000));
    assert_string_equal(log_text, "");
    enable_driver(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2);
    expect_ok(cudaFree(block));
    assert_string_equal(log_text, "+cuMemFree_v2 -cuMemFree_v2=0 ");
}

static void a_failure_is_reported_with_its_result(void **state) {
    (void)state;
    void *block;
    enable_driver(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
    enable_driver(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2);
    expect_result(cudaMalloc(&block, (size_t)1 << 45), cudaErrorMemoryAllocation);
    expect_result(cudaFree(&block), cudaErrorInvalidValue);
    assert_string_equal(log_text, "+cuMemAlloc_v2 -cuMemAlloc_v2=2 +cuMemFree_v2 -cuMemFree_v2=1 ");
}

static void calls_map_to_the_driver_calls_of_the_real_runtime(void **state) {
    (void)state;
    void *block;
    enable_driver(CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc);
    enable_driver(CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxRetain);
    enable_driver(CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset);
    enable_driver(CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2);
    expect_ok(cudaMallocHost(&block, 1));
    expect_ok(cudaHostAlloc(&block, 1, 0));
    assert_string_equal(log_text, "+cuMemHostAlloc -cuMemHostAlloc=0 +cuMemHostAlloc -cuMemHostAlloc=0 ");
    log_text[0] = 0;
    expect_ok(cudaDeviceReset());
    expect_ok(cudaFree(NULL));
    assert_string_equal(log_text, "+cuDevicePrimaryCtxReset -cuDevicePrimaryCtxReset=0 "
                                  "+cuDevicePrimaryCtxRetain -cuDevicePrimaryCtxRetain=0 ");
}

static void per_thread_twin_has_its_own_id(void **state) {
    (void)state;
    CUresult (*allocate)(CUdeviceptr *, size_t, CUstream);
    CUdeviceptr block;
    enable_driver(CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz);
    expect_ok(cuGetProcAddress("cuMemAllocAsync", (void **)&allocate, 12000,
                               CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL));
    expect_ok(allocate(&block, 1000, NULL));
    expect_ok(cuMemFreeAsync(block, NULL));
    assert_string_equal(log_text, "+cuMemAllocAsync_ptsz -cuMemAllocAsync_ptsz=0 ");
}

static void the_driver_answers_inside_a_callback(void **state) {
    (void)state;
    void *block;
    expect_ok(cudaDeviceReset());
    enable_driver(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
    ask_inside = true;
    expect_ok(cudaMalloc(&block, 10 * MIB));
    assert_string_equal(log_text, "+cuMemAlloc_v2 -cuMemAlloc_v2=0 used=548 ");
    expect_ok(cudaFree(block));
}

static void second_subscriber_is_refused(void **state) {
    (void)state;
    CUpti_SubscriberHandle second;
    expect_result(cuptiSubscribe(&second, on_call, NULL), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    expect_ok(cuptiUnsubscribe(subscriber));
    expect_ok(cuptiSubscribe(&second, on_call, NULL));
    expect_result(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuInit),
                  CUPTI_ERROR_INVALID_PARAMETER);
    subscriber = second;
}

static void unsubscribing_ends_the_callbacks(void **state) {
    (void)state;
    void *block;
    enable_driver(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
    expect_ok(cuptiUnsubscribe(subscriber));
    expect_ok(cudaMalloc(&block, 1));
    assert_string_equal(log_text, "");
    expect_ok(cuptiSubscribe(&subscriber, on_call, NULL));
    expect_ok(cudaFree(block));
    assert_string_equal(log_text, "");
}

static void ids_and_results_have_names(void **state) {
    (void)state;
    const char *name;
    uint32_t enabled;
    expect_ok(cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, &name));
    assert_string_equal(name, "cuMemAlloc_v2");
    expect_ok(cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, &name));
    assert_string_equal(name, "cudaMalloc_v3020");
    expect_ok(cuptiGetResultString(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, &name));
    assert_string_equal(name, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED");
    enable_driver(CUPTI_DRIVER_TRACE_CBID_cuInit);
    expect_ok(cuptiGetCallbackState(&enabled, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuInit));
    assert_int_equal(enabled, 1);
}

static void an_entry_point_is_reached_in_three_ways(void **state) {
    (void)state;
    void *by_dlsym = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemAlloc_v2"), *found = NULL;
    assert_ptr_equal(by_dlsym, cuMemAlloc);
    CUdriverProcAddressQueryResult status;
    expect_ok(cuGetProcAddress("cuMemAlloc", &found, 12000, 0, &status));
    assert_ptr_equal(found, by_dlsym);
    assert_int_equal(status, CU_GET_PROC_ADDRESS_SUCCESS);
    expect_ok(cuGetProcAddress("cuMemAlloc_v2", &found, 12000, 0, &status));
    assert_null(found);
    assert_int_equal(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    expect_ok(cuGetProcAddress("cuMemAllocAsync", &found, 10000, 0, &status));
    assert_null(found);
    assert_int_equal(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    expect_ok(cuGetProcAddress("cuGetProcAddress", &found, 12000, 0, &status));
    assert_ptr_equal(found, cuGetProcAddress);
    expect_result(cuGetProcAddress("cuMemAlloc", &found, 99000, 0, &status), CUDA_ERROR_INVALID_VALUE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(runtime_call_encloses_driver_call, subscribe, unsubscribe),
        cmocka_unit_test_setup_teardown(only_what_is_enabled_is_reported, subscribe, unsubscribe),
        cmocka_unit_test_setup_teardown(a_failure_is_reported_with_its_result, subscribe, unsubscribe),
        cmocka_unit_test_setup_teardown(calls_map_to_the_driver_calls_of_the_real_runtime, subscribe, unsubscribe),
        cmocka_unit_test_setup_teardown(per_thread_twin_has_its_own_id, subscribe, unsubscribe),
        cmocka_unit_test_setup_teardown(the_driver_answers_inside_a_callback, subscribe, unsubscribe),
        cmocka_unit_test_setup_teardown(second_subscriber_is_refused, subscribe, unsubscribe),
        cmocka_unit_test_setup_teardown(unsubscribing_ends_the_callbacks, subscribe, unsubscribe),
        cmocka_unit_test_setup_teardown(ids_and_results_have_names, subscribe, unsubscribe),
        cmocka_unit_test(an_entry_point_is_reached_in_three_ways),
    };
    return cmocka_run_group_tests(tests, reset_device, NULL);
}
