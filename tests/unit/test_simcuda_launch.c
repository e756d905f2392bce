// Launches on the simulated device from what nvcc makes of a .cu file: lazy loading, local memory, arguments,
// variables.
#include "tests/unit/simcuda_test.h"
#include <cupti.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

// simcuda_kernels.cu
void launch_plain(float *x, unsigned blocks, unsigned threads);
void launch_local(float *x);
const void *address_of_plain(void);
const void *address_of_table(void);
const void *address_of_factor(void);
int read_counter(void);

static char log_text[1024];

static void on_call(void *userdata, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *cbdata) {
    (void)userdata;
    (void)domain;
    const CUpti_CallbackData *data = cbdata;
    if (data->callbackSite != CUPTI_API_ENTER) return;
    size_t length = strlen(log_text);
    snprintf(log_text + length, sizeof(log_text) - length, "%s ", data->functionName);
    if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel) {
        const cuLaunchKernel_params *launch = data->functionParams;
        length = strlen(log_text);
        snprintf(log_text + length, sizeof(log_text) - length, "%s %ux%u ", data->symbolName, launch->gridDimX,
                 launch->blockDimX);
    }
}

static void first_launch_loads_the_library(void **state) {
    (void)state;
    CUpti_SubscriberHandle subscriber;
    expect_ok(cuptiSubscribe(&subscriber, on_call, NULL));
    const CUpti_CallbackId ids[] = {CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData,
                                    CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel};
    for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
        expect_ok(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, ids[i]));
    launch_plain(NULL, 3, 64);
    expect_ok(cudaGetLastError());
    assert_string_equal(log_text, "cuLibraryLoadData cuLibraryGetKernel cuLaunchKernel sim_test_plain 3x64 ");
    log_text[0] = 0;
    launch_plain(NULL, 5, 32);
    assert_string_equal(log_text, "cuLaunchKernel sim_test_plain 5x32 ");
    expect_ok(cuptiUnsubscribe(subscriber));
}

static void local_memory_is_taken_once_and_kept(void **state) {
    (void)state;
    launch_plain(NULL, 1, 1); // the library's variables are there
    expect_growth(3960 * MIB, launch_local(NULL));
    expect_growth(0, launch_local(NULL));
    expect_growth(0, launch_plain(NULL, 1, 1));
}

static void bad_shapes_are_refused(void **state) {
    (void)state;
    launch_plain(NULL, 1, 2048);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    launch_plain(NULL, 0, 1);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    expect_result(cudaLaunchKernel(&bad_shapes_are_refused, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL),
                  cudaErrorInvalidDeviceFunction);
    cudaGetLastError();
}

static void arguments_are_described(void **state) {
    (void)state;
    cudaKernel_t kernel;
    size_t offset, bytes;
    const char *name;
    expect_ok(cudaGetKernel(&kernel, address_of_plain()));
    expect_ok(cuKernelGetName(&name, (CUkernel)kernel));
    assert_string_equal(name, "sim_test_plain");
    const size_t offsets[] = {0, 8, 16}, sizes[] = {8, 4, 8};
    for (size_t i = 0; i < 3; i++) {
        expect_ok(cuKernelGetParamInfo((CUkernel)kernel, i, &offset, &bytes));
        assert_int_equal(offset, offsets[i]);
        assert_int_equal(bytes, sizes[i]);
    }
    expect_result(cuKernelGetParamInfo((CUkernel)kernel, 3, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
    expect_ok(cuFuncGetParamInfo((CUfunction)kernel, 0, &offset, &bytes));
}

static void variables_have_values_and_places(void **state) {
    (void)state;
    float values[2] = {0, 0}, seven = 7;
    size_t bytes;
    expect_ok(cudaGetSymbolSize(&bytes, address_of_table()));
    assert_int_equal(bytes, 4096);
    expect_ok(cudaMemcpyFromSymbol(values, address_of_table(), 8, 0, cudaMemcpyDeviceToHost));
    assert_true(values[0] == 1.5f && values[1] == 0);
    expect_ok(cudaMemcpyToSymbol(address_of_factor(), &seven, 4, 0, cudaMemcpyHostToDevice));
    expect_ok(cudaMemcpyFromSymbol(values, address_of_factor(), 4, 0, cudaMemcpyDeviceToHost));
    assert_true(values[0] == 7);
    expect_result(cudaMemcpyToSymbol(address_of_factor(), values, 8, 0, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    assert_int_equal(read_counter(), 5);
}

// Run again with another environment: the module takes 90 MiB at its kernel's first launch, and its variables 2 MiB.
static int hidden_module_case(void) {
    if (cudaFree(NULL) != cudaSuccess) return 1;
    int64_t before = used_bytes();
    launch_plain(NULL, 1, 1);
    int64_t first = used_bytes();
    launch_plain(NULL, 1, 1);
    return first - before == 92 * MIB && used_bytes() == first ? 0 : 2;
}

static void a_module_can_take_hidden_memory(void **state) {
    (void)state;
    char *arguments[] = {"self", "hidden", NULL}, *environment[] = {"SIMCUDA_HIDDEN_MODULE=90MiB", NULL};
    pid_t child;
    int status;
    assert_int_equal(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environment), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "hidden")) return hidden_module_case();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_launch_loads_the_library),   cmocka_unit_test(local_memory_is_taken_once_and_kept),
        cmocka_unit_test(bad_shapes_are_refused),           cmocka_unit_test(arguments_are_described),
        cmocka_unit_test(variables_have_values_and_places), cmocka_unit_test(a_module_can_take_hidden_memory),
    };
    return cmocka_run_group_tests(tests, reset_device, NULL);
}
