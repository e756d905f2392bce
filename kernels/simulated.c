/* libsimcuda-kernels.so: what the simulated device runs when the sample launches a kernel, by the kernel's name.
 *
 * A launch hands over pointers to the kernel's arguments in order, so each function here reads them by the kernel's own
 * parameter types and calls the CPU reference. Loaded by the simulated libcuda (tests/simcuda/kernel_table.h).
 */
#include "kernels/reference.h"
#include "tests/simcuda/kernel_table.h"

#define FLOATS(i) (*(float **)params[i])
#define INTS(i)   (*(int **)params[i])
#define INT(i)    (*(int *)params[i])
#define FLOAT(i)  (*(float *)params[i])
#define SIZE(i)   (*(size_t *)params[i])
#define SEED(i)   (*(uint64_t *)params[i])

/* The kernels, each with its arguments; expanded once to functions and once to the table. */
#define KERNELS(KERNEL)                                                                                                \
    KERNEL(matmul_forward, FLOATS(0), FLOATS(1), FLOATS(2), INT(3), INT(4), INT(5))                                    \
    KERNEL(matmul_backward_input, FLOATS(0), FLOATS(1), FLOATS(2), INT(3), INT(4), INT(5))                             \
    KERNEL(matmul_backward_weight, FLOATS(0), FLOATS(1), FLOATS(2), INT(3), INT(4), INT(5))                            \
    KERNEL(bias_forward, FLOATS(0), FLOATS(1), INT(2), INT(3))                                                         \
    KERNEL(bias_backward, FLOATS(0), FLOATS(1), INT(2), INT(3))                                                        \
    KERNEL(relu_forward, FLOATS(0), FLOATS(1), SIZE(2))                                                                \
    KERNEL(relu_backward, FLOATS(0), FLOATS(1), FLOATS(2), SIZE(3))                                                    \
    KERNEL(fill, FLOATS(0), FLOAT(1), SIZE(2))                                                                         \
    KERNEL(normal_init, FLOATS(0), SEED(1), FLOAT(2), SIZE(3))                                                         \
    KERNEL(accumulate, FLOATS(0), FLOATS(1), SIZE(2))                                                                  \
    KERNEL(mse_forward, FLOATS(0), FLOATS(1), FLOATS(2), INT(3), INT(4), INT(5), FLOAT(6))                             \
    KERNEL(mse_backward, FLOATS(0), FLOATS(1), FLOATS(2), INT(3), INT(4), INT(5), FLOAT(6))                            \
    KERNEL(log_softmax_forward, FLOATS(0), FLOATS(1), INT(2), INT(3))                                                  \
    KERNEL(cross_entropy_forward, FLOATS(0), FLOATS(1), INTS(2), INT(3), INT(4), FLOAT(5))                             \
    KERNEL(cross_entropy_backward, FLOATS(0), FLOATS(1), INTS(2), INT(3), INT(4), FLOAT(5))                            \
    KERNEL(argmax_rows, INTS(0), FLOATS(1), INT(2), INT(3), INT(4))                                                    \
    KERNEL(sgd_update, FLOATS(0), FLOATS(1), FLOAT(2), SIZE(3))                                                        \
    KERNEL(momentum_update, FLOATS(0), FLOATS(1), FLOATS(2), FLOAT(3), FLOAT(4), SIZE(5))                              \
    KERNEL(adamw_moments, FLOATS(0), FLOATS(1), FLOATS(2), FLOATS(3), FLOATS(4), FLOAT(5), FLOAT(6), FLOAT(7),         \
           FLOAT(8), FLOAT(9), SIZE(10))                                                                               \
    KERNEL(adamw_apply, FLOATS(0), FLOATS(1), FLOATS(2), FLOAT(3), FLOAT(4), SIZE(5))

#define RUN(kernel, ...)                                                                                               \
    static void run_##kernel(void **params, const unsigned grid[3], const unsigned block[3], size_t shared_bytes) {    \
        (void)grid, (void)block, (void)shared_bytes;                                                                   \
        reference_##kernel(__VA_ARGS__);                                                                               \
    }
KERNELS(RUN)

#define ROW(kernel, ...) {#kernel, run_##kernel},
__attribute__((visibility("default"))) const struct simcuda_kernel simcuda_kernels[] = {KERNELS(ROW){NULL, NULL}};
