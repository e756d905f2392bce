/* Five allocations of 1000 bytes, each freed before the next, by functions that the program is linked against. */
#include <cuda.h>

int main(void) {
    CUdevice device;
    CUcontext context;
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS) return 1;
    if (cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS || cuCtxSetCurrent(context) != CUDA_SUCCESS)
        return 1;
    for (int i = 0; i < 5; i++) {
        CUdeviceptr address;
        if (cuMemAlloc(&address, 1000) != CUDA_SUCCESS || cuMemFree(address) != CUDA_SUCCESS) return 1;
    }
    return 0;
}
