// A stand-in for libc10.so: the two functions by which torch's allocators report to its profiler, in every signature
// that they have had. They only count, so that a test sees that calls were passed on.
#include "tests/fakes/c10.h"

namespace c10 {

static int64_t reports, bytes_reported;

void reportMemoryUsageToProfiler(void *, int64_t bytes, size_t, size_t, Device) {
    reports++;
    bytes_reported += bytes;
}

void reportMemoryUsageToProfiler(void *, int64_t bytes, int64_t, int64_t, Device) {
    reports++;
    bytes_reported += bytes;
}

void reportMemoryUsageToProfiler(void *, int64_t bytes, Device) {
    reports++;
    bytes_reported += bytes;
}

void reportOutOfMemoryToProfiler(int64_t bytes, size_t, size_t, Device) {
    reports++;
    bytes_reported += bytes;
}

void reportOutOfMemoryToProfiler(int64_t bytes, int64_t, int64_t, Device) {
    reports++;
    bytes_reported += bytes;
}

} // namespace c10

extern "C" int64_t fake_c10_reports() {
    return c10::reports;
}

extern "C" int64_t fake_c10_bytes() {
    return c10::bytes_reported;
}
