// What the tests of the simulated device share: expectations on results and on device memory in use.
#ifndef SIMCUDA_TEST_H
#define SIMCUDA_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// after the above
#include <cmocka.h>
#include <cuda.h>
#include <cuda_runtime_api.h>

#define MIB (INT64_C(1) << 20)

#define expect_ok(call)             assert_int_equal((call), 0)
#define expect_result(call, result) assert_int_equal((call), (result))

// Device memory in use, by cuMemGetInfo.
static inline int64_t used_bytes(void) {
    size_t free_bytes, total_bytes;
    expect_ok(cuMemGetInfo(&free_bytes, &total_bytes));
    return (int64_t)(total_bytes - free_bytes);
}

// What the statement changes about it.
#define expect_growth(bytes, statement)                                                                                \
    do {                                                                                                               \
        int64_t before_ = used_bytes();                                                                                \
        statement;                                                                                                     \
        assert_int_equal(used_bytes() - before_, (bytes));                                                             \
    } while (0)

static inline int reset_device(void **state) {
    (void)state;
    return cudaDeviceReset() != cudaSuccess || cudaFree(NULL) != cudaSuccess;
}

#endif
