/*
 * A static object's destructor frees device memory after the driver has shut down: the program means no leak, and the
 * call fails.
 */
#include <cuda.h>

#include <cstdio>
#include <cstdlib>

struct Pool {
    CUdeviceptr memory = 0;
    ~Pool() {
        std::printf("late %d\n", cuMemFree(memory));
    }
};

static void check(CUresult result) {
    if (result == CUDA_SUCCESS) return;
    std::fprintf(stderr, "%d\n", result);
    std::exit(1);
}

static Pool &pool() {
    static Pool made; // before cuInit: its destructor runs after what cuInit registers for the exit
    return made;
}

int main() {
    CUdevice device;
    CUcontext context;
    CUdeviceptr kept;
    pool();
    check(cuInit(0));
    check(cuDeviceGet(&device, 0));
    check(cuDevicePrimaryCtxRetain(&context, device));
    check(cuCtxSetCurrent(context));
    check(cuMemAlloc(&pool().memory, 10 << 20));
    check(cuMemAlloc(&kept, 5000));
    return 0;
}
