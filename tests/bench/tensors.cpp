// What `make bench` times of PyTorch's feed, called by tensors.py: blocks that come and go as a caching allocator
// reports them, under C++ frames of various depths as PyTorch's dispatcher makes them.
#include <cstdint>
#include <ctime>

extern "C" void fake_torch_block(int generation, int type, int index, uint64_t block, int64_t bytes, uint64_t allocated,
                                 uint64_t reserved);

namespace {

constexpr int least_depth = 12, depths = 16;
constexpr int64_t bytes = 4096;
constexpr uint64_t reserved = 1 << 21;

int64_t reported;

// As many frames, each of a function of its own.
template <int depth> __attribute__((noinline)) void report(uint64_t block, int64_t change) {
    if constexpr (depth == 0) {
        fake_torch_block(0, 1, 0, block, change, change > 0 ? bytes : 0, reserved);
    } else {
        report<depth - 1>(block, change);
    }
    reported += change; // behind the call, or this would be no frame
}

using report_fn = void(uint64_t block, int64_t change);
template <int... indices> struct table {
    static constexpr report_fn *of_depth[] = {report<least_depth + indices>...};
};
using reports = table<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15>;
static_assert(sizeof reports::of_depth / sizeof reports::of_depth[0] == depths);

double now_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

} // namespace

// Nanoseconds of a block's coming and going, the mean of `count`.
extern "C" double time_tensors(long count) {
    const double start = now_ns();
    for (long i = 0; i < count; i++) {
        reports::of_depth[i % depths](0x10000, bytes);
        reports::of_depth[(i + 7) % depths](0x10000, -bytes);
    }
    return (now_ns() - start) / static_cast<double>(count);
}
