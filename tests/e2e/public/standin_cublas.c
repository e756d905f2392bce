/*
 * What cublas.c needs of cuBLAS on a machine without it: a handle whose first product takes a workspace of 8519680
 * bytes, as pytorch#95668 reports it, and no arithmetic. Like the real library it brings its own static runtime.
 */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <stdlib.h>

struct cublasContext {
    void *workspace;
};

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    cudaFree(handle->workspace);
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transpose_a, cublasOperation_t transpose_b,
                              int rows, int columns, int inner, const float *alpha, const float *a, int stride_a,
                              const float *b, int stride_b, const float *beta, float *c, int stride_c) {
    (void)transpose_a, (void)transpose_b, (void)rows, (void)columns, (void)inner, (void)alpha, (void)a, (void)stride_a;
    (void)b, (void)stride_b, (void)beta, (void)c, (void)stride_c;
    if (!handle->workspace && cudaMalloc(&handle->workspace, 8519680) != cudaSuccess) return CUBLAS_STATUS_ALLOC_FAILED;
    return CUBLAS_STATUS_SUCCESS;
}
