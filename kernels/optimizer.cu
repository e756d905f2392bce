/* Optimizer updates: SGD, SGD with momentum, AdamW. AdamW comes in two kernels with two temporaries of the parameter's
 * size between them, as an unfused framework does it; that memory is part of what the experiments measure.
 * Called by samples/train.cu.
 */
#include "kernels/elements.h"
#include "kernels/kernels.h"
#include "kernels/launch.h"

extern "C" __global__ void sgd_update(float *w, const float *g, float rate, size_t n) {
    const size_t i = element_index();
    if (i < n) w[i] -= rate * g[i];
}

extern "C" __global__ void momentum_update(float *w, float *velocity, const float *g, float rate, float momentum,
                                           size_t n) {
    const size_t i = element_index();
    if (i >= n) return;
    velocity[i] = momentum * velocity[i] + g[i];
    w[i] -= rate * velocity[i];
}

/* correction1, correction2: what the moments' start at zero still takes away from them. */
extern "C" __global__ void adamw_moments(float *direction, float *scale, float *first, float *second, const float *g,
                                         float beta1, float beta2, float epsilon, float correction1, float correction2,
                                         size_t n) {
    const size_t i = element_index();
    if (i >= n) return;
    first[i] = beta1 * first[i] + (1.0f - beta1) * g[i];
    second[i] = beta2 * second[i] + (1.0f - beta2) * g[i] * g[i];
    direction[i] = first[i] / correction1;
    scale[i] = sqrtf(second[i] / correction2) + epsilon;
}

extern "C" __global__ void adamw_apply(float *w, const float *direction, const float *scale, float rate, float decay,
                                       size_t n) {
    const size_t i = element_index();
    if (i < n) w[i] -= rate * (decay * w[i] + direction[i] / scale[i]);
}

void launch_sgd_update(float *w, const float *g, float rate, size_t n, cudaStream_t stream) {
    sgd_update<<<element_grid(n), ELEMENT_BLOCK, 0, stream>>>(w, g, rate, n);
    LAUNCH_CHECK(sgd_update);
}

void launch_momentum_update(float *w, float *velocity, const float *g, float rate, float momentum, size_t n,
                            cudaStream_t stream) {
    momentum_update<<<element_grid(n), ELEMENT_BLOCK, 0, stream>>>(w, velocity, g, rate, momentum, n);
    LAUNCH_CHECK(momentum_update);
}

void launch_adamw_moments(float *direction, float *scale, float *first, float *second, const float *g, float beta1,
                          float beta2, float epsilon, int step, size_t n, cudaStream_t stream) {
    const float correction1 = 1.0f - powf(beta1, (float)step), correction2 = 1.0f - powf(beta2, (float)step);
    adamw_moments<<<element_grid(n), ELEMENT_BLOCK, 0, stream>>>(direction, scale, first, second, g, beta1, beta2,
                                                                 epsilon, correction1, correction2, n);
    LAUNCH_CHECK(adamw_moments);
}

void launch_adamw_apply(float *w, const float *direction, const float *scale, float rate, float decay, size_t n,
                        cudaStream_t stream) {
    adamw_apply<<<element_grid(n), ELEMENT_BLOCK, 0, stream>>>(w, direction, scale, rate, decay, n);
    LAUNCH_CHECK(adamw_apply);
}
