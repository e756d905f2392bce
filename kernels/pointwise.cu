/* Kernels that work element by element: bias, ReLU, fill, random start values, accumulation. One thread an element
 * (bias_backward: a thread a column). Called by samples/train.cu through the launchers.
 */
#include "kernels/elements.h"
#include "kernels/kernels.h"
#include "kernels/launch.h"
#include "kernels/random.h"

extern "C" __global__ void bias_forward(float *y, const float *bias, int rows, int out) {
    const size_t i = element_index();
    if (i < (size_t)rows * out) y[i] += bias[i % out];
}

extern "C" __global__ void bias_backward(float *dbias, const float *dy, int rows, int out) {
    const size_t column = element_index();
    if (column >= out) return;
    float sum = 0.0f;
    for (int row = 0; row < rows; row++) sum += dy[(size_t)row * out + column];
    dbias[column] += sum;
}

extern "C" __global__ void relu_forward(float *y, const float *x, size_t n) {
    const size_t i = element_index();
    if (i < n) y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}

extern "C" __global__ void relu_backward(float *dx, const float *dy, const float *y, size_t n) {
    const size_t i = element_index();
    if (i < n) dx[i] = y[i] > 0.0f ? dy[i] : 0.0f;
}

extern "C" __global__ void fill(float *x, float value, size_t n) {
    const size_t i = element_index();
    if (i < n) x[i] = value;
}

extern "C" __global__ void normal_init(float *x, uint64_t seed, float scale, size_t n) {
    const size_t i = element_index();
    if (i < n) x[i] = scale * random_normal(seed, i);
}

extern "C" __global__ void accumulate(float *sum, const float *x, size_t n) {
    const size_t i = element_index();
    if (i < n) sum[i] += x[i];
}

void launch_bias_forward(float *y, const float *bias, int rows, int out, cudaStream_t stream) {
    bias_forward<<<element_grid((size_t)rows * out), ELEMENT_BLOCK, 0, stream>>>(y, bias, rows, out);
    LAUNCH_CHECK(bias_forward);
}

void launch_bias_backward(float *dbias, const float *dy, int rows, int out, cudaStream_t stream) {
    bias_backward<<<element_grid(out), ELEMENT_BLOCK, 0, stream>>>(dbias, dy, rows, out);
    LAUNCH_CHECK(bias_backward);
}

void launch_relu_forward(float *y, const float *x, size_t n, cudaStream_t stream) {
    relu_forward<<<element_grid(n), ELEMENT_BLOCK, 0, stream>>>(y, x, n);
    LAUNCH_CHECK(relu_forward);
}

void launch_relu_backward(float *dx, const float *dy, const float *y, size_t n, cudaStream_t stream) {
    relu_backward<<<element_grid(n), ELEMENT_BLOCK, 0, stream>>>(dx, dy, y, n);
    LAUNCH_CHECK(relu_backward);
}

void launch_fill(float *x, float value, size_t n, cudaStream_t stream) {
    fill<<<element_grid(n), ELEMENT_BLOCK, 0, stream>>>(x, value, n);
    LAUNCH_CHECK(fill);
}

void launch_normal_init(float *x, uint64_t seed, float scale, size_t n, cudaStream_t stream) {
    normal_init<<<element_grid(n), ELEMENT_BLOCK, 0, stream>>>(x, seed, scale, n);
    LAUNCH_CHECK(normal_init);
}

void launch_accumulate(float *sum, const float *x, size_t n, cudaStream_t stream) {
    accumulate<<<element_grid(n), ELEMENT_BLOCK, 0, stream>>>(sum, x, n);
    LAUNCH_CHECK(accumulate);
}
