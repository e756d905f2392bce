/*
 * Callers that differ in nothing but where the way back from their callee is kept: among other saved registers that may
 * hold the same value, or in a register of its own. Each allocates a size of its own, so a stack that names another
 * tells.
 */
#include <cuda.h>
#include <stdlib.h>

#define HIDE(value) __asm__ volatile("" : "+r"(value))
#define USE(value)  __asm__ volatile("" ::"r"(value) : "memory")
#define BEHIND_CALL __asm__ volatile("" ::: "memory")

enum { TURNS = 8 };

__attribute__((noinline)) static void pair(size_t bytes) {
    CUdeviceptr address;
    if (cuMemAlloc(&address, bytes) != CUDA_SUCCESS || cuMemFree(address) != CUDA_SUCCESS) exit(1);
    BEHIND_CALL;
}

// GCC keeps its way back below the frame pointer, behind the registers that it saves.
__attribute__((noinline)) static void aligned_and_changing(size_t bytes) {
    _Alignas(64) char area[64];
    char *more = __builtin_alloca(bytes & 16);
    long a = 1, b = 2, c = 3, d = 4, e = 5;
    HIDE(a);
    HIDE(b);
    HIDE(c);
    HIDE(d);
    HIDE(e);
    USE(area);
    USE(more);
    pair(bytes);
    USE(area);
    USE(more);
    USE(a + b);
    USE(c + d);
    USE(e + a);
    USE(b + c);
    USE(a + e + d);
}

__attribute__((noinline)) static void fill(char *at) {
    *at = 1;
    BEHIND_CALL;
}

// The second keeps a pointer to what the first one's way back is, where the callee saves it.
#define HOLDER(name, members)                                                                                          \
    __attribute__((noinline)) static void name(size_t bytes) {                                                         \
        struct {                                                                                                       \
            members char buffer[48];                                                                                   \
        } local;                                                                                                       \
        long a = 1, b = 2, c = 3;                                                                                      \
        HIDE(a);                                                                                                       \
        HIDE(b);                                                                                                       \
        HIDE(c);                                                                                                       \
        fill(local.buffer);                                                                                            \
        char *at = local.buffer;                                                                                       \
        HIDE(at);                                                                                                      \
        aligned_and_changing(bytes);                                                                                   \
        USE(a + b + c);                                                                                                \
        USE(a - b * c);                                                                                                \
        USE(at);                                                                                                       \
    }
HOLDER(holder, )
HOLDER(holder_with_more, char before[16];)

#ifdef __x86_64__
void way_back_in_rbx(size_t bytes, void (*function)(size_t));
__asm__(".text\n.globl way_back_in_rbx\n.type way_back_in_rbx, @function\n"
        "way_back_in_rbx:\n"
        " .cfi_startproc\n"
        " push %rbx\n"
        " .cfi_def_cfa_offset 16\n"
        " mov %rsp, %rbx\n"
        " .cfi_def_cfa %rbx, 16\n"
        " .cfi_offset %rbx, -16\n"
        " and $-64, %rsp\n"
        " sub $128, %rsp\n"
        " call *%rsi\n"
        " mov %rbx, %rsp\n"
        " pop %rbx\n"
        " .cfi_def_cfa %rsp, 8\n"
        " .cfi_restore %rbx\n"
        " ret\n"
        " .cfi_endproc\n"
        ".size way_back_in_rbx, .-way_back_in_rbx\n");
#else
static void way_back_in_rbx(size_t bytes, void (*function)(size_t)) {
    function(bytes);
    BEHIND_CALL;
}
#endif

#define ROOM(name, size)                                                                                               \
    __attribute__((noinline)) static void name(size_t bytes) {                                                         \
        volatile char area[size];                                                                                      \
        area[0] = 1;                                                                                                   \
        way_back_in_rbx(bytes, pair);                                                                                  \
        area[0]++;                                                                                                     \
    }
ROOM(room_16, 16)
ROOM(room_32, 32)
ROOM(room_48, 48)
ROOM(room_64, 64)

static void (*const functions[])(size_t) = {holder, holder_with_more, room_16, room_32, room_48, room_64};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

// At different depths: the alignment swallows what is less than it.
__attribute__((noinline)) static void all(size_t room) {
    volatile char *area = __builtin_alloca(room + 1);
    area[0] = 1;
    for (int first = 0; first < FUNCTIONS; first++) {
        for (int second = 0; second < FUNCTIONS; second++) {
            for (int turn = 0; turn < TURNS; turn++) {
                int which = turn < TURNS / 2 ? first : second;
                HIDE(which);
                functions[which](1000 * (size_t)(which + 1));
            }
        }
    }
    area[0]++;
}

int main(void) {
    CUdevice device;
    CUcontext context;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    for (volatile size_t room = 0; room < 64; room += 16) all(room);
    return 0;
}
