// Kernels for test_simcuda_launch.c, which is C: a plain one, one that needs 16 KiB of local memory a thread, and
// variables of each kind.
__device__ float table[1024] = {1.5f};
__constant__ float factor;
__managed__ int counter = 5;

extern "C" __global__ void sim_test_plain(float *x, int count, double scale) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] *= (float)scale;
}

extern "C" __global__ void sim_test_local(float *x, int count) {
    volatile float buffer[4096];
    for (int i = 0; i < count; i++) buffer[i & 4095] = x[i];
    for (int i = 0; i < count; i++) x[i] = buffer[(i * 7) & 4095];
}

extern "C" void launch_plain(float *x, unsigned blocks, unsigned threads) {
    sim_test_plain<<<blocks, threads>>>(x, 4, 2.0);
}

extern "C" void launch_local(float *x) {
    sim_test_local<<<1, 1>>>(x, 4);
}

extern "C" const void *address_of_plain() {
    return (const void *)sim_test_plain;
}

extern "C" const void *address_of_table() {
    return table;
}

extern "C" const void *address_of_factor() {
    return &factor;
}

extern "C" int read_counter() {
    return counter;
}
