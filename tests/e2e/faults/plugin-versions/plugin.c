// A plugin in two versions, which differ in the frames of their functions but in no address: frame sizes, and what the
// register rbp is used for. VERSION is 1 or 2; run(bytes) allocates twice.
#include <cuda.h>
#include <stdlib.h>

#if VERSION == 1
enum { ROOM = 88 };
#else
enum { ROOM = 24 };
#endif

void run(size_t bytes);
void pair(size_t bytes);

__attribute__((noinline, used)) void pair(size_t bytes) {
    CUdeviceptr address;
    volatile char area[ROOM];
    area[0] = 1;
    if (cuMemAlloc(&address, bytes) != CUDA_SUCCESS || cuMemFree(address) != CUDA_SUCCESS) exit(1);
    area[0]++;
}

__attribute__((noinline)) static void by_c(size_t bytes) {
    volatile char area[24];
    area[0] = 1;
    pair(bytes);
    area[0]++;
}

#ifdef __x86_64__
void by_assembly(size_t bytes);
#if VERSION == 1
#define INTO_RBP "mov %rsp, %rbp\n .cfi_def_cfa_register %rbp\n sub $16, %rsp\n"
#define BACK     " add $16, %rsp\n pop %rbp\n .cfi_def_cfa %rsp, 8\n"
#else
#define INTO_RBP "mov %rdi, %rbp\n sub $16, %rsp\n .cfi_def_cfa_offset 32\n"
#define BACK     " add $16, %rsp\n .cfi_def_cfa_offset 16\n pop %rbp\n .cfi_def_cfa_offset 8\n"
#endif
__asm__(".text\n.globl by_assembly\n.hidden by_assembly\n.type by_assembly, @function\n.p2align 4\n"
        "by_assembly:\n .cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset %rbp, -16\n " INTO_RBP
        " call pair@plt\n" BACK " ret\n .cfi_endproc\n.size by_assembly, .-by_assembly\n");
#else
#define by_assembly by_c
#endif

void run(size_t bytes) {
    by_c(bytes);
    by_assembly(bytes + 1);
    __asm__ volatile("" ::: "memory");
}
