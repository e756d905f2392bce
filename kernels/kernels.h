/* The CUDA kernels of the sample trainer, one launcher each. kernels/reference.h holds the same list for the CPU.
 *
 * All matrices are float32, row-major, in device memory; shapes stand beside each argument. A gradient argument marked
 * += is added to, so micro-batches accumulate. Launches are asynchronous on `stream`; a launcher exits on a launch
 * error.
 */
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

/* matmul.cu: y = x wT and its two backward products. */
void launch_matmul_forward(float *y,       // [rows, out]
                           const float *x, // [rows, in]
                           const float *w, // [out, in]
                           int rows, int in, int out, cudaStream_t stream);
void launch_matmul_backward_input(float *dx,       // [rows, in]
                                  const float *dy, // [rows, out]
                                  const float *w,  // [out, in]
                                  int rows, int in, int out, cudaStream_t stream);
void launch_matmul_backward_weight(float *dw,       // [out, in] +=
                                   const float *dy, // [rows, out]
                                   const float *x,  // [rows, in]
                                   int rows, int in, int out, cudaStream_t stream);

/* pointwise.cu */
void launch_bias_forward(float *y,          // [rows, out], in place
                         const float *bias, // [out]
                         int rows, int out, cudaStream_t stream);
void launch_bias_backward(float *dbias,    // [out] +=
                          const float *dy, // [rows, out]
                          int rows, int out, cudaStream_t stream);
void launch_relu_forward(float *y,       // [n], may be x
                         const float *x, // [n]
                         size_t n, cudaStream_t stream);
void launch_relu_backward(float *dx,       // [n], may be dy
                          const float *dy, // [n]
                          const float *y,  // [n], what the forward gave
                          size_t n, cudaStream_t stream);
void launch_fill(float *x, // [n]
                 float value, size_t n, cudaStream_t stream);
void launch_normal_init(float *x, // [n], normal with mean 0 and deviation `scale`
                        uint64_t seed, float scale, size_t n, cudaStream_t stream);
void launch_accumulate(float *sum,     // [n] +=
                       const float *x, // [n]
                       size_t n, cudaStream_t stream);

/* loss.cu: a loss is a sum over rows and columns times `scale`, so that the parts of a split batch add up. */
void launch_mse_forward(float *loss,             // [1]
                        const float *prediction, // [rows, columns]
                        const float *target,     // rows of `stride`; column c is compared with c % stride
                        int rows, int columns, int stride, float scale, cudaStream_t stream);
void launch_mse_backward(float *dprediction,      // [rows, columns]
                         const float *prediction, // [rows, columns]
                         const float *target,     // as above
                         int rows, int columns, int stride, float scale, cudaStream_t stream);
void launch_log_softmax_forward(float *logp,         // [rows, columns]
                                const float *logits, // [rows, columns]
                                int rows, int columns, cudaStream_t stream);
void launch_cross_entropy_forward(float *loss,       // [1]
                                  const float *logp, // [rows, columns]
                                  const int *labels, // [rows], each less than columns
                                  int rows, int columns, float scale, cudaStream_t stream);
void launch_cross_entropy_backward(float *dlogits,    // [rows, columns]
                                   const float *logp, // [rows, columns]
                                   const int *labels, // [rows]
                                   int rows, int columns, float scale, cudaStream_t stream);
void launch_argmax_rows(int *labels,    // [rows]: the first largest of the row's first `columns`
                        const float *x, // rows of `stride`, columns <= stride
                        int rows, int columns, int stride, cudaStream_t stream);

/* optimizer.cu */
void launch_sgd_update(float *w,       // [n]
                       const float *g, // [n]
                       float rate, size_t n, cudaStream_t stream);
void launch_momentum_update(float *w,        // [n]
                            float *velocity, // [n]
                            const float *g,  // [n]
                            float rate, float momentum, size_t n, cudaStream_t stream);
void launch_adamw_moments(float *direction, // [n]: the corrected first moment
                          float *scale,     // [n]: the root of the corrected second moment
                          float *first,     // [n]: first moment
                          float *second,    // [n]: second moment
                          const float *g,   // [n]
                          float beta1, float beta2, float epsilon, int step, size_t n, cudaStream_t stream);
void launch_adamw_apply(float *w,               // [n]
                        const float *direction, // [n]
                        const float *scale,     // [n]
                        float rate, float decay, size_t n, cudaStream_t stream);
