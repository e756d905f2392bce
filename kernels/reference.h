/* The kernels of kernels/kernels.h on the CPU, in plain float arithmetic: what each kernel is checked against, and what
 * the simulated device runs in its place. Same arguments, same shapes, host memory, no stream; += adds to its argument.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void reference_matmul_forward(float *y,       // [rows, out]
                              const float *x, // [rows, in]
                              const float *w, // [out, in]
                              int rows, int in, int out);
void reference_matmul_backward_input(float *dx,       // [rows, in]
                                     const float *dy, // [rows, out]
                                     const float *w,  // [out, in]
                                     int rows, int in, int out);
void reference_matmul_backward_weight(float *dw,       // [out, in] +=
                                      const float *dy, // [rows, out]
                                      const float *x,  // [rows, in]
                                      int rows, int in, int out);

void reference_bias_forward(float *y,          // [rows, out], in place
                            const float *bias, // [out]
                            int rows, int out);
void reference_bias_backward(float *dbias,    // [out] +=
                             const float *dy, // [rows, out]
                             int rows, int out);
void reference_relu_forward(float *y, const float *x, size_t n);                    // [n], [n]; y may be x
void reference_relu_backward(float *dx, const float *dy, const float *y, size_t n); // [n] each; dx may be dy
void reference_fill(float *x, float value, size_t n);                               // [n]
void reference_normal_init(float *x, uint64_t seed, float scale, size_t n);         // [n]
void reference_accumulate(float *sum, const float *x, size_t n);                    // [n] +=, [n]

void reference_mse_forward(float *loss,             // [1]
                           const float *prediction, // [rows, columns]
                           const float *target,     // rows of `stride`; column c is compared with c % stride
                           int rows, int columns, int stride, float scale);
void reference_mse_backward(float *dprediction,      // [rows, columns]
                            const float *prediction, // [rows, columns]
                            const float *target,     // as above
                            int rows, int columns, int stride, float scale);
void reference_log_softmax_forward(float *logp,         // [rows, columns]
                                   const float *logits, // [rows, columns]
                                   int rows, int columns);
void reference_cross_entropy_forward(float *loss,       // [1]
                                     const float *logp, // [rows, columns]
                                     const int *labels, // [rows]
                                     int rows, int columns, float scale);
void reference_cross_entropy_backward(float *dlogits,    // [rows, columns]
                                      const float *logp, // [rows, columns]
                                      const int *labels, // [rows]
                                      int rows, int columns, float scale);
void reference_argmax_rows(int *labels,    // [rows]
                           const float *x, // rows of `stride`
                           int rows, int columns, int stride);

void reference_sgd_update(float *w, const float *g, float rate, size_t n); // [n], [n]
void reference_momentum_update(float *w, float *velocity, const float *g, float rate, float momentum,
                               size_t n); // [n] each
void reference_adamw_moments(float *direction, float *scale, float *first, float *second, const float *g, float beta1,
                             float beta2, float epsilon, float correction1, float correction2, size_t n); // [n] each
void reference_adamw_apply(float *w, const float *direction, const float *scale, float rate, float decay,
                           size_t n); // [n] each

#ifdef __cplusplus
}
#endif
