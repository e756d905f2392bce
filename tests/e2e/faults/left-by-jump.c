/*
 * Fault: a thread that left the tracer other than by a return was never recorded again.
 *   left-by-jump jump|exit|switch|between|stay ROUNDS
 * Each round makes a pair of calls (4096 bytes) instruction by instruction, and after so many of them in the tracer's
 * own code – from none to some 2600 – its handler jumps out, ends the thread, switches to another coroutine for good,
 * (between: which is left for the first one in turn, and finished afterwards), or makes a pair of calls itself (1024
 * bytes) and returns. Then a pair of calls with 8192 bytes is made. Prints how
 * many rounds were left in the middle.
 */
#include <cuda.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#ifdef __x86_64__

enum { STACK = 256 * 1024, KNOWN_AFTER = 4, CODE = 2600 };

static CUcontext context;
static uintptr_t start, end; // the tracer's code
static const char *way;
static unsigned target, seen; // instructions of the tracer
static unsigned left;
static sigjmp_buf before;
static ucontext_t outside, inside, second;
static unsigned switches;

static __attribute__((noinline)) void pair(size_t bytes) {
    CUdeviceptr address;
    if (cuMemAlloc(&address, bytes) == CUDA_SUCCESS) cuMemFree(address);
}

static void leave(void) {
    left++;
    switches++;
    if (strcmp(way, "jump") == 0) siglongjmp(before, 1);
    if (strcmp(way, "exit") == 0) pthread_exit(NULL);
    if (strcmp(way, "switch") == 0) setcontext(&outside);
    if (strcmp(way, "between") == 0) {
        seen = 0;
        swapcontext(switches == 1 ? &inside : &second, switches == 1 ? &second : &inside);
        return;
    }
    pair(1024);
}

// Where other signals are blocked, the tracer holds a lock: a handler of those could not have come in.
static void on_step(int number, siginfo_t *info, void *argument) {
    ucontext_t *at = argument;
    uintptr_t instruction = (uintptr_t)at->uc_mcontext.gregs[REG_RIP];
    (void)number, (void)info;
    if (instruction < start || instruction >= end || sigismember(&at->uc_sigmask, SIGALRM)) return;
    if (seen++ != target) return;
    at->uc_mcontext.gregs[REG_EFL] &= ~0x100;
    leave();
}

// Sets and clears the processor's trap flag, behind what lies below the stack pointer.
static void step(void) {
    __asm__ volatile("sub $128, %%rsp\n pushfq\n orq $0x100, (%%rsp)\n popfq\n add $128, %%rsp" ::: "memory", "cc");
}

static void no_step(void) {
    __asm__ volatile("sub $128, %%rsp\n pushfq\n andq $~0x100, (%%rsp)\n popfq\n add $128, %%rsp" ::: "memory", "cc");
}

// The last of several from one place, whose call stack is known by then: to write a new one to the trace, all signals
// are blocked, and a step that is blocked ends the program.
static void stepped_pair(void) {
    for (volatile int i = 0; i <= KNOWN_AFTER; i++) {
        if (i == KNOWN_AFTER) step();
        pair(4096);
    }
    no_step();
}

static void *on_thread(void *unused) {
    cuCtxSetCurrent(context);
    pair(512);
    stepped_pair();
    return unused;
}

static void coroutine(void) {
    stepped_pair();
    setcontext(&outside);
}

static void first_of_two(void) {
    stepped_pair();
    for (int i = 0; i < 3; i++) pair(2048);
    setcontext(switches > 1 ? &second : &outside); // which finishes its record, in the middle of others'
}

static void prepare(ucontext_t *made, void (*function)(void), char *stack) {
    getcontext(made);
    made->uc_stack.ss_sp = stack;
    made->uc_stack.ss_size = STACK;
    makecontext(made, function, 0);
}

static void leave_between(void) {
    static char stacks[2][STACK];
    volatile int again = 0;
    switches = 0;
    prepare(&inside, first_of_two, stacks[0]);
    prepare(&second, coroutine, stacks[1]);
    getcontext(&outside);
    if (!again++) setcontext(&inside);
}

static void leave_one(void) {
    static char stack[STACK];
    volatile int again = 0;
    pthread_t thread;
    if (strcmp(way, "exit") == 0) {
        if (pthread_create(&thread, NULL, on_thread, NULL) != 0) exit(1);
        pthread_join(thread, NULL);
    } else if (strcmp(way, "switch") == 0) {
        prepare(&inside, coroutine, stack);
        getcontext(&outside);
        if (!again++) setcontext(&inside);
    } else if (strcmp(way, "between") == 0) {
        leave_between();
    } else if (sigsetjmp(before, 1) == 0) {
        stepped_pair();
    }
}

static int find_tracer(struct dl_phdr_info *info, size_t bytes, void *unused) {
    (void)bytes, (void)unused;
    if (!strstr(info->dlpi_name, "libmemtrace")) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X)) continue;
        start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        end = start + info->dlpi_phdr[i].p_memsz;
    }
    return 1;
}

int main(int argc, char **argv) {
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    CUdevice device;
    int rounds = argc > 2 ? atoi(argv[2]) : 0;
    way = argc > 1 ? argv[1] : "";
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device)) return 1;
    if (cuCtxSetCurrent(context) || sigaction(SIGTRAP, &action, NULL) != 0) return 1;
    dl_iterate_phdr(find_tracer, NULL);
    pair(512);
    pair(512);
    for (int i = 0; i < rounds; i++) {
        target = (unsigned)(i * CODE / rounds);
        seen = 0;
        leave_one();
        pair(8192);
    }
    printf("%u\n", left);
    return 0;
}

#else

int main(void) {
    return 77;
}

#endif
