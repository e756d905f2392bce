/*
 * A program whose segments have holes between them, as linkers before binutils 2.36 leave them: the C library then
 * tells of an address only the segment that it lies in, which has no unwind table.
 */
#include <cuda.h>

static CUresult __attribute__((noinline)) exchange(CUdeviceptr *address) {
    CUresult result = cuMemAlloc(address, 1000);
    return result ? result : cuMemFree(*address);
}

int main(void) {
    CUdevice device;
    CUcontext context;
    CUdeviceptr address;
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device)) return 1;
    if (cuCtxSetCurrent(context) || exchange(&address)) return 1;
    return 0;
}
