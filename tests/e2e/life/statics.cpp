/*
 * Life of a process: C++ objects with static storage that free device memory after main, one that was made before the
 * driver was initialised and one after it; std::terminate; and an exception that nobody catches.
 * Usage: statics [terminate|throw].
 */
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "tests/e2e/coverage/ledger.h"

namespace {

class Buffer {
  public:
    void allocate(std::size_t bytes) {
        if (cuMemAlloc(&address, bytes) != CUDA_SUCCESS) std::terminate();
        size = bytes;
        ledger_plus(bytes, "device", "cuMemAlloc_v2");
    }
    // Too late for the driver, perhaps: then the memory is the process's end to free, and the call is an error.
    ~Buffer() {
        if (size == 0) return;
        CUresult result = cuMemFree(address);
        if (result == CUDA_SUCCESS)
            ledger_minus(size, "device", "cuMemFree_v2");
        else
            ledger_failed(0, "device", "cuMemFree_v2", result);
    }

  private:
    CUdeviceptr address = 0;
    std::size_t size = 0;
};

Buffer early;

void start_device() {
    CUdevice device;
    CUcontext context;
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS ||
        cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS || cuCtxSetCurrent(context) != CUDA_SUCCESS)
        std::terminate();
}

} // namespace

int main(int argc, char **argv) {
    start_device();
    static Buffer late;
    early.allocate(1 * MIB);
    late.allocate(2 * MIB);
    if (argc > 1 && std::strcmp(argv[1], "terminate") == 0) std::terminate();
    if (argc > 1 && std::strcmp(argv[1], "throw") == 0) throw std::runtime_error("nobody catches this");
    return 0;
}
