/* Losses and their gradients: mean square, and softmax with cross-entropy. The scalar loss is summed by one block in a
 * fixed order, without atomics, so that a seed gives the same loss on every run. Called by samples/train.cu.
 */
#include "kernels/elements.h"
#include "kernels/kernels.h"
#include "kernels/launch.h"

#define REDUCE_BLOCK 256 // a power of two

struct add {
    static __device__ float of(float a, float b) {
        return a + b;
    }
};

struct largest {
    static __device__ float of(float a, float b) {
        return fmaxf(a, b);
    }
};

/* Combines one value a thread into one that every thread gets. All threads of the block call it: it synchronises. */
template <typename operation> static __device__ float block_reduce(float value) {
    __shared__ float values[REDUCE_BLOCK];
    values[threadIdx.x] = value;
    __syncthreads();
    for (int half = REDUCE_BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) values[threadIdx.x] = operation::of(values[threadIdx.x], values[threadIdx.x + half]);
        __syncthreads();
    }
    const float result = values[0];
    __syncthreads(); // the next call writes values again
    return result;
}

static __device__ float mse_difference(const float *prediction, const float *target, size_t i, int columns,
                                       int stride) {
    return prediction[i] - target[i / columns * stride + i % columns % stride];
}

extern "C" __global__ void mse_forward(float *loss, const float *prediction, const float *target, int rows, int columns,
                                       int stride, float scale) {
    float sum = 0.0f;
    for (size_t i = threadIdx.x; i < (size_t)rows * columns; i += REDUCE_BLOCK) {
        const float difference = mse_difference(prediction, target, i, columns, stride);
        sum += difference * difference;
    }
    sum = block_reduce<add>(sum);
    if (threadIdx.x == 0) *loss = scale * sum;
}

extern "C" __global__ void mse_backward(float *dprediction, const float *prediction, const float *target, int rows,
                                        int columns, int stride, float scale) {
    const size_t i = element_index();
    if (i < (size_t)rows * columns)
        dprediction[i] = 2.0f * scale * mse_difference(prediction, target, i, columns, stride);
}

/* One block a row. The row's largest logit is taken off first, so that no exponential overflows. */
extern "C" __global__ void log_softmax_forward(float *logp, const float *logits, int rows, int columns) {
    const float *row = logits + (size_t)blockIdx.x * columns; // [columns]
    float most = row[0], sum = 0.0f;
    for (int c = threadIdx.x; c < columns; c += REDUCE_BLOCK) most = fmaxf(most, row[c]);
    most = block_reduce<largest>(most);
    for (int c = threadIdx.x; c < columns; c += REDUCE_BLOCK) sum += expf(row[c] - most);
    const float log_sum = logf(block_reduce<add>(sum));
    for (int c = threadIdx.x; c < columns; c += REDUCE_BLOCK)
        logp[(size_t)blockIdx.x * columns + c] = row[c] - most - log_sum;
}

extern "C" __global__ void cross_entropy_forward(float *loss, const float *logp, const int *labels, int rows,
                                                 int columns, float scale) {
    float sum = 0.0f;
    for (int row = threadIdx.x; row < rows; row += REDUCE_BLOCK) sum -= logp[(size_t)row * columns + labels[row]];
    sum = block_reduce<add>(sum);
    if (threadIdx.x == 0) *loss = scale * sum;
}

extern "C" __global__ void cross_entropy_backward(float *dlogits, const float *logp, const int *labels, int rows,
                                                  int columns, float scale) {
    const size_t i = element_index();
    if (i < (size_t)rows * columns)
        dlogits[i] = scale * (expf(logp[i]) - (i % columns == labels[i / columns] ? 1.0f : 0.0f));
}

extern "C" __global__ void argmax_rows(int *labels, const float *x, int rows, int columns, int stride) {
    const size_t row = element_index();
    if (row >= rows) return;
    int best = 0;
    for (int c = 1; c < columns; c++)
        if (x[row * stride + c] > x[row * stride + best]) best = c;
    labels[row] = best;
}

void launch_mse_forward(float *loss, const float *prediction, const float *target, int rows, int columns, int stride,
                        float scale, cudaStream_t stream) {
    mse_forward<<<1, REDUCE_BLOCK, 0, stream>>>(loss, prediction, target, rows, columns, stride, scale);
    LAUNCH_CHECK(mse_forward);
}

void launch_mse_backward(float *dprediction, const float *prediction, const float *target, int rows, int columns,
                         int stride, float scale, cudaStream_t stream) {
    mse_backward<<<element_grid((size_t)rows * columns), ELEMENT_BLOCK, 0, stream>>>(dprediction, prediction, target,
                                                                                     rows, columns, stride, scale);
    LAUNCH_CHECK(mse_backward);
}

void launch_log_softmax_forward(float *logp, const float *logits, int rows, int columns, cudaStream_t stream) {
    log_softmax_forward<<<rows, REDUCE_BLOCK, 0, stream>>>(logp, logits, rows, columns);
    LAUNCH_CHECK(log_softmax_forward);
}

void launch_cross_entropy_forward(float *loss, const float *logp, const int *labels, int rows, int columns, float scale,
                                  cudaStream_t stream) {
    cross_entropy_forward<<<1, REDUCE_BLOCK, 0, stream>>>(loss, logp, labels, rows, columns, scale);
    LAUNCH_CHECK(cross_entropy_forward);
}

void launch_cross_entropy_backward(float *dlogits, const float *logp, const int *labels, int rows, int columns,
                                   float scale, cudaStream_t stream) {
    cross_entropy_backward<<<element_grid((size_t)rows * columns), ELEMENT_BLOCK, 0, stream>>>(dlogits, logp, labels,
                                                                                               rows, columns, scale);
    LAUNCH_CHECK(cross_entropy_backward);
}

void launch_argmax_rows(int *labels, const float *x, int rows, int columns, int stride, cudaStream_t stream) {
    argmax_rows<<<element_grid(rows), ELEMENT_BLOCK, 0, stream>>>(labels, x, rows, columns, stride);
    LAUNCH_CHECK(argmax_rows);
}
