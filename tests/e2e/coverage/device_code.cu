/*
 * Device code that the coverage programs load as a fat binary (device_code.S puts it into a program): a kernel that
 * does nothing, one that needs 16 KiB of local memory a thread, and variables of 1 MiB and of managed memory.
 */
__device__ float numbers[1 << 18];
__managed__ int counter;

extern "C" __global__ void nothing(void) {
}

// The loops keep the array in memory: its elements are reached by numbers that the compiler does not know.
extern "C" __global__ void spills(int *out, int n) {
    int local[4096];

    for (int i = 0; i < 4096; i++) local[i] = n * i;
    for (int i = 0; i < n; i++) local[(i * 97 + n) & 4095] += local[(i * 31) & 4095];
    if (out) *out = local[n & 4095] + counter + (int)numbers[n & 1023];
}
