// Throws 100,000 exceptions while a trace is being written, and says which library unwinds them: nothing that the
// tracer brings along may take libgcc's place.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>

static void throw_from(int depth) {
    if (depth == 0) throw std::runtime_error("thrown");
    throw_from(depth - 1);
    asm volatile(""); // keeps the call above from becoming a jump
}

int main() {
    void *block;
    if (cudaMalloc(&block, 4096) != cudaSuccess || cudaFree(block) != cudaSuccess) return 1;
    int caught = 0;
    for (int i = 0; i < 100000; i++) {
        try {
            throw_from(i % 8);
        } catch (const std::runtime_error &) {
            caught++;
        }
    }
    Dl_info owner;
    void *unwinder = dlsym(RTLD_DEFAULT, "_Unwind_RaiseException");
    if (!unwinder || !dladdr(unwinder, &owner)) return 1;
    const char *slash = std::strrchr(owner.dli_fname, '/');
    std::printf("caught %d\n_Unwind_RaiseException of %s\n", caught, slash ? slash + 1 : owner.dli_fname);
    return 0;
}
