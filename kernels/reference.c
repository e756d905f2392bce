/* The sample's kernels on the CPU, as kernels/reference.h lists them: the judge of the CUDA kernels, and the simulated
 * device's arithmetic. Loops are ordered so that the innermost one runs along rows, which the compiler can vectorise
 * without reordering a sum; apart from that nothing here is clever, on purpose.
 */
#include "kernels/reference.h"

#include "kernels/random.h"

#include <string.h>

enum {
    LANES = 8, // partial sums of a dot product
    ROWS = 4,  // rows that share one pass over a weight matrix
};

static float dot(const float *a, const float *b, int n) {
    float lane[LANES] = {0}, sum = 0;
    int i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++) lane[l] += a[i + l] * b[i + l];
    for (; i < n; i++) sum += a[i] * b[i];
    for (int l = 0; l < LANES; l++) sum += lane[l];
    return sum;
}

/* y += factor x */
static void add_scaled(float *y, float factor, const float *x, int n) {
    for (int i = 0; i < n; i++) y[i] += factor * x[i];
}

void reference_matmul_forward(float *y, const float *x, const float *w, int rows, int in, int out) {
    for (int row0 = 0; row0 < rows; row0 += ROWS)
        for (int o = 0; o < out; o++)
            for (int row = row0; row < rows && row < row0 + ROWS; row++)
                y[(size_t)row * out + o] = dot(x + (size_t)row * in, w + (size_t)o * in, in);
}

void reference_matmul_backward_input(float *dx, const float *dy, const float *w, int rows, int in, int out) {
    memset(dx, 0, (size_t)rows * in * sizeof *dx);
    for (int row0 = 0; row0 < rows; row0 += ROWS)
        for (int o = 0; o < out; o++)
            for (int row = row0; row < rows && row < row0 + ROWS; row++)
                add_scaled(dx + (size_t)row * in, dy[(size_t)row * out + o], w + (size_t)o * in, in);
}

void reference_matmul_backward_weight(float *dw, const float *dy, const float *x, int rows, int in, int out) {
    for (int o0 = 0; o0 < out; o0 += ROWS)
        for (int row = 0; row < rows; row++)
            for (int o = o0; o < out && o < o0 + ROWS; o++)
                add_scaled(dw + (size_t)o * in, dy[(size_t)row * out + o], x + (size_t)row * in, in);
}

void reference_bias_forward(float *y, const float *bias, int rows, int out) {
    for (int row = 0; row < rows; row++) add_scaled(y + (size_t)row * out, 1, bias, out);
}

void reference_bias_backward(float *dbias, const float *dy, int rows, int out) {
    for (int row = 0; row < rows; row++) add_scaled(dbias, 1, dy + (size_t)row * out, out);
}

void reference_relu_forward(float *y, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] : 0;
}

void reference_relu_backward(float *dx, const float *dy, const float *y, size_t n) {
    for (size_t i = 0; i < n; i++) dx[i] = y[i] > 0 ? dy[i] : 0;
}

void reference_fill(float *x, float value, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] = value;
}

void reference_normal_init(float *x, uint64_t seed, float scale, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] = scale * random_normal(seed, i);
}

void reference_accumulate(float *sum, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) sum[i] += x[i];
}

static float mse_difference(const float *prediction, const float *target, size_t i, int columns, int stride) {
    return prediction[i] - target[i / columns * stride + i % columns % stride];
}

void reference_mse_forward(float *loss, const float *prediction, const float *target, int rows, int columns, int stride,
                           float scale) {
    double sum = 0; // a long sum of floats in sequence would lose more than the kernels' tree does
    for (size_t i = 0; i < (size_t)rows * columns; i++) {
        const float difference = mse_difference(prediction, target, i, columns, stride);
        sum += difference * difference;
    }
    *loss = scale * (float)sum;
}

void reference_mse_backward(float *dprediction, const float *prediction, const float *target, int rows, int columns,
                            int stride, float scale) {
    for (size_t i = 0; i < (size_t)rows * columns; i++)
        dprediction[i] = 2 * scale * mse_difference(prediction, target, i, columns, stride);
}

void reference_log_softmax_forward(float *logp, const float *logits, int rows, int columns) {
    for (int row = 0; row < rows; row++) {
        const float *from = logits + (size_t)row * columns; // [columns]
        float *to = logp + (size_t)row * columns;           // [columns]
        float most = from[0];
        double sum = 0;
        for (int c = 1; c < columns; c++) most = fmaxf(most, from[c]);
        for (int c = 0; c < columns; c++) sum += expf(from[c] - most);
        for (int c = 0; c < columns; c++) to[c] = from[c] - most - logf((float)sum);
    }
}

void reference_cross_entropy_forward(float *loss, const float *logp, const int *labels, int rows, int columns,
                                     float scale) {
    double sum = 0;
    for (int row = 0; row < rows; row++) sum -= logp[(size_t)row * columns + labels[row]];
    *loss = scale * (float)sum;
}

void reference_cross_entropy_backward(float *dlogits, const float *logp, const int *labels, int rows, int columns,
                                      float scale) {
    for (int row = 0; row < rows; row++)
        for (int c = 0; c < columns; c++) {
            const size_t i = (size_t)row * columns + c;
            dlogits[i] = scale * (expf(logp[i]) - (c == labels[row] ? 1 : 0));
        }
}

void reference_argmax_rows(int *labels, const float *x, int rows, int columns, int stride) {
    for (int row = 0; row < rows; row++) {
        labels[row] = 0;
        for (int c = 1; c < columns; c++)
            if (x[(size_t)row * stride + c] > x[(size_t)row * stride + labels[row]]) labels[row] = c;
    }
}

void reference_sgd_update(float *w, const float *g, float rate, size_t n) {
    for (size_t i = 0; i < n; i++) w[i] -= rate * g[i];
}

void reference_momentum_update(float *w, float *velocity, const float *g, float rate, float momentum, size_t n) {
    for (size_t i = 0; i < n; i++) {
        velocity[i] = momentum * velocity[i] + g[i];
        w[i] -= rate * velocity[i];
    }
}

void reference_adamw_moments(float *direction, float *scale, float *first, float *second, const float *g, float beta1,
                             float beta2, float epsilon, float correction1, float correction2, size_t n) {
    for (size_t i = 0; i < n; i++) {
        first[i] = beta1 * first[i] + (1 - beta1) * g[i];
        second[i] = beta2 * second[i] + (1 - beta2) * g[i] * g[i];
        direction[i] = first[i] / correction1;
        scale[i] = sqrtf(second[i] / correction2) + epsilon;
    }
}

void reference_adamw_apply(float *w, const float *direction, const float *scale, float rate, float decay, size_t n) {
    for (size_t i = 0; i < n; i++) w[i] -= rate * (decay * w[i] + direction[i] / scale[i]);
}
