// A stand-in for libc10_cuda.so: calls the reporters of c10.cpp through the dynamic linker, as torch's allocator does.
// Each function is one report; `generation` picks the signature, newest first.
#include "tests/fakes/c10.h"

using c10::Device;
using c10::DeviceType;

extern "C" void fake_torch_block(int generation, int type, int index, uint64_t block, int64_t bytes, uint64_t allocated,
                                 uint64_t reserved) {
    Device device(static_cast<DeviceType>(type), static_cast<int8_t>(index));
    void *pointer = reinterpret_cast<void *>(block);
    if (generation == 0) {
        c10::reportMemoryUsageToProfiler(pointer, bytes, static_cast<size_t>(allocated), static_cast<size_t>(reserved),
                                         device);
    } else if (generation == 1) {
        c10::reportMemoryUsageToProfiler(pointer, bytes, static_cast<int64_t>(allocated),
                                         static_cast<int64_t>(reserved), device);
    } else {
        c10::reportMemoryUsageToProfiler(pointer, bytes, device);
    }
}

extern "C" void fake_torch_out_of_memory(int generation, int index, int64_t bytes, uint64_t allocated,
                                         uint64_t reserved) {
    Device device(DeviceType::CUDA, static_cast<int8_t>(index));
    if (generation == 0) {
        c10::reportOutOfMemoryToProfiler(bytes, static_cast<size_t>(allocated), static_cast<size_t>(reserved), device);
    } else {
        c10::reportOutOfMemoryToProfiler(bytes, static_cast<int64_t>(allocated), static_cast<int64_t>(reserved),
                                         device);
    }
}
