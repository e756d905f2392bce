// What c10.cpp and c10_cuda.cpp share; its mangled names are those of the real library.
#ifndef MEMTRACE_TESTS_FAKES_C10_H
#define MEMTRACE_TESTS_FAKES_C10_H

#include <cstddef>
#include <cstdint>

namespace c10 {

enum class DeviceType : int8_t { CPU = 0, CUDA = 1, XLA = 9 };

class Device {
  public:
    Device(DeviceType type, int8_t index) : type_(type), index_(index) {
    }

  private:
    DeviceType type_;
    int8_t index_;
};

void reportMemoryUsageToProfiler(void *block, int64_t bytes, size_t allocated, size_t reserved, Device device);
void reportMemoryUsageToProfiler(void *block, int64_t bytes, int64_t allocated, int64_t reserved, Device device);
void reportMemoryUsageToProfiler(void *block, int64_t bytes, Device device);
void reportOutOfMemoryToProfiler(int64_t bytes, size_t allocated, size_t reserved, Device device);
void reportOutOfMemoryToProfiler(int64_t bytes, int64_t allocated, int64_t reserved, Device device);

} // namespace c10

#endif
