/* Matrix products of a linear layer, by square tiles in shared memory: each block makes one TILE x TILE tile of the
 * result, each thread one element of it. Both operands are read along their rows, whichever way the product turns them,
 * so that neighbouring threads read neighbouring addresses. Called by samples/train.cu through the launchers.
 */
#include "kernels/kernels.h"
#include "kernels/launch.h"

#define TILE 32

/* Element (row, column) of op(a) op(b), for the calling thread; op turns a matrix over where its flag says so.
 * a: [m, k], or [k, m] if turned; b: [k, n], or [n, k] if turned. All threads of the block call it: it synchronises. */
template <bool turn_a, bool turn_b>
static __device__ float tile_product(const float *a, const float *b, int m, int n, int k) {
    __shared__ float tile_a[TILE][TILE + 1]; // [row, k]; the odd pitch keeps a column in separate banks
    __shared__ float tile_b[TILE][TILE + 1]; // [k, column]
    const int x = threadIdx.x, y = threadIdx.y;
    const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    float sum = 0.0f;

    for (int k0 = 0; k0 < k; k0 += TILE) {
        if (turn_a)
            tile_a[x][y] = k0 + y < k && row0 + x < m ? a[(size_t)(k0 + y) * m + row0 + x] : 0.0f;
        else
            tile_a[y][x] = row0 + y < m && k0 + x < k ? a[(size_t)(row0 + y) * k + k0 + x] : 0.0f;
        if (turn_b)
            tile_b[x][y] = column0 + y < n && k0 + x < k ? b[(size_t)(column0 + y) * k + k0 + x] : 0.0f;
        else
            tile_b[y][x] = k0 + y < k && column0 + x < n ? b[(size_t)(k0 + y) * n + column0 + x] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();
    }
    return sum;
}

static __device__ int tile_row(void) {
    return blockIdx.y * TILE + threadIdx.y;
}

static __device__ int tile_column(void) {
    return blockIdx.x * TILE + threadIdx.x;
}

static dim3 tile_grid(int rows, int columns) {
    return dim3((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
}

static const dim3 tile_block(TILE, TILE);

extern "C" __global__ void matmul_forward(float *y, const float *x, const float *w, int rows, int in, int out) {
    const float sum = tile_product<false, true>(x, w, rows, out, in);
    if (tile_row() < rows && tile_column() < out) y[(size_t)tile_row() * out + tile_column()] = sum;
}

extern "C" __global__ void matmul_backward_input(float *dx, const float *dy, const float *w, int rows, int in,
                                                 int out) {
    const float sum = tile_product<false, false>(dy, w, rows, in, out);
    if (tile_row() < rows && tile_column() < in) dx[(size_t)tile_row() * in + tile_column()] = sum;
}

extern "C" __global__ void matmul_backward_weight(float *dw, const float *dy, const float *x, int rows, int in,
                                                  int out) {
    const float sum = tile_product<true, false>(dy, x, out, in, rows);
    if (tile_row() < out && tile_column() < in) dw[(size_t)tile_row() * in + tile_column()] += sum;
}

void launch_matmul_forward(float *y, const float *x, const float *w, int rows, int in, int out, cudaStream_t stream) {
    matmul_forward<<<tile_grid(rows, out), tile_block, 0, stream>>>(y, x, w, rows, in, out);
    LAUNCH_CHECK(matmul_forward);
}

void launch_matmul_backward_input(float *dx, const float *dy, const float *w, int rows, int in, int out,
                                  cudaStream_t stream) {
    matmul_backward_input<<<tile_grid(rows, in), tile_block, 0, stream>>>(dx, dy, w, rows, in, out);
    LAUNCH_CHECK(matmul_backward_input);
}

void launch_matmul_backward_weight(float *dw, const float *dy, const float *x, int rows, int in, int out,
                                   cudaStream_t stream) {
    matmul_backward_weight<<<tile_grid(out, in), tile_block, 0, stream>>>(dw, dy, x, rows, in, out);
    LAUNCH_CHECK(matmul_backward_weight);
}
