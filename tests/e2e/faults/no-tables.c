/*
 * Call stacks that lead through code without unwind tables: assembly without directives, with and without a frame
 * pointer of its own, and code that was made at run time. No outer caller may be named: which it is, can't be known.
 */
#include <cuda.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef void passing(size_t bytes, void (*function)(size_t));

#if defined(__x86_64__)
#define BODY_WITH_FRAME    " push %rbp\n mov %rsp, %rbp\n call *%rsi\n pop %rbp\n ret\n"
#define BODY_WITHOUT_FRAME " sub $24, %rsp\n call *%rsi\n add $24, %rsp\n ret\n"
static const uint8_t code[] = {0x48, 0x83, 0xec, 0x18, 0xff, 0xd6, 0x48, 0x83, 0xc4, 0x18, 0xc3};
#else
#define BODY_WITH_FRAME    " stp x29, x30, [sp, #-16]!\n mov x29, sp\n blr x1\n ldp x29, x30, [sp], #16\n ret\n"
#define BODY_WITHOUT_FRAME " str x30, [sp, #-16]!\n blr x1\n ldr x30, [sp], #16\n ret\n"
static const uint32_t code[] = {0xf81f0ffe, 0xd63f0020, 0xf84107fe, 0xd65f03c0};
#endif

passing with_frame, without_frame;
__asm__(".text\n.globl with_frame\n.type with_frame, %function\nwith_frame:\n" BODY_WITH_FRAME
        ".size with_frame, .-with_frame\n.globl without_frame\n.type without_frame, "
        "%function\nwithout_frame:\n" BODY_WITHOUT_FRAME ".size without_frame, .-without_frame\n");

__attribute__((noinline)) static void pair(size_t bytes) {
    CUdeviceptr address;
    if (cuMemAlloc(&address, bytes) != CUDA_SUCCESS || cuMemFree(address) != CUDA_SUCCESS) exit(1);
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void outer(passing *function, size_t bytes) {
    volatile char area[64];
    area[0] = 1;
    function(bytes, pair);
    area[0]++;
}

int main(void) {
    CUdevice device;
    CUcontext context;
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return 1;
    memcpy(page, code, sizeof code);
    if (mprotect(page, 4096, PROT_READ | PROT_EXEC) != 0) return 1;
    __builtin___clear_cache((char *)page, (char *)page + sizeof code);
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    for (volatile int i = 0; i < 4; i++) {
        outer(with_frame, 1000);
        outer(without_frame, 2000);
        outer((passing *)(uintptr_t)page, 3000);
        pair(4000);
    }
    return 0;
}
