/*
 * Native stacks: what a walk finds is who called whom, however the callers' frames are laid out; and where that can't
 * be known, it ends there instead of guessing, and never faults. Walks are made from a stack of the tracer's own, as in
 * a traced program. Programs by a generator are walked in tests/e2e/faults/generated-stacks.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/own_stack.h"
#include "preload/unwind/modules.h"
#include "preload/unwind/walk.h"

enum { FRAMES = 128, CALLERS = 64, PART = 3 };

static uint64_t generation = 1;
static uint16_t own_stack;

struct seen {
    struct mt_frame frames[FRAMES];
    size_t count;
    bool fresh;
};

// In parts, since a walk may be continued.
static void walk(void *argument, uintptr_t here) {
    struct seen *seen = argument;
    struct mt_walk walk;
    size_t part;
    mt_walk_begin(&walk, here, generation, seen->fresh);
    seen->count = 0;
    do {
        part = mt_walk_on(&walk, seen->frames + seen->count, PART);
        seen->count += part;
    } while (part == PART && seen->count + PART <= FRAMES);
}

__attribute__((noinline)) static void see(struct seen *seen) {
    struct mt_own_stack *stack = mt_own_stack_take(&own_stack);
    mt_own_stack_call(walk, seen, mt_own_stack_top(stack));
    mt_own_stack_give(stack);
}

// Random calls, each of which notes where it returns to.
struct calls {
    uint64_t number;
    uintptr_t callers[CALLERS];
    size_t depth;
    struct seen seen;
    unsigned checked;
};

static unsigned draw(struct calls *calls, unsigned below) {
    calls->number = calls->number * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(calls->number >> 33) % below;
}

static void check(struct calls *calls) {
    see(&calls->seen);
    size_t at = 0; // of the frame that returns into the innermost caller
    while (at < calls->seen.count && calls->seen.frames[at].address != calls->callers[calls->depth - 1]) at++;
    assert_true(at <= 3); // see, check and go_on, if they have frames
    assert_true(calls->seen.count - at > calls->depth);
    for (size_t i = 0; i < calls->depth; i++) {
        assert_int_equal(calls->seen.frames[at + i].address, calls->callers[calls->depth - 1 - i]);
    }
    calls->checked++;
}

typedef void caller(struct calls *calls, int depth);
static caller *const callers[6];

static inline __attribute__((always_inline)) void go_on(struct calls *calls, int depth) {
    if (depth == 0) {
        check(calls);
    } else {
        callers[draw(calls, 6)](calls, depth - 1);
    }
}

#define CALLER(name, size, ...)                                                                                        \
    __attribute__((noinline)) static void name(struct calls *calls, int depth) {                                       \
        __VA_ARGS__ volatile char area[size];                                                                          \
        calls->callers[calls->depth++] = (uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0));        \
        area[0] = 1;                                                                                                   \
        go_on(calls, depth);                                                                                           \
        area[0]++;                                                                                                     \
        calls->depth--;                                                                                                \
    }
CALLER(small, 16)
CALLER(large, 40000)
CALLER(changing, (size_t)(16 + 16 * draw(calls, 3)))
CALLER(aligned, 32, _Alignas(64))
CALLER(aligned_and_changing, (size_t)(16 + 16 * draw(calls, 3)), _Alignas(64) volatile char other[64]; other[0] = 1;
       (void)other[0];)
CALLER(small_too, 16)
static caller *const callers[6] = {small, large, changing, aligned, aligned_and_changing, small_too};

// Given calls through frames of fixed, changing and aligned size, when each is walked, recalled or anew, then all of
// its callers are the true ones.
static void what_is_found_is_true(void **state) {
    (void)state;
    struct calls calls = {.number = 1};
    for (unsigned i = 0; i < 20000; i++) {
        calls.seen.fresh = i % 16 == 0;
        go_on(&calls, 1 + (int)draw(&calls, 8));
    }
    assert_int_equal(calls.checked, 20000);
}

#ifdef __x86_64__
// Not for the compiler to know: an unrolled loop calls from several places.
static volatile int three = 3;

// Whether the frame at this index stands within so many bytes of the function's beginning.
static bool is_in(const struct seen *seen, size_t at, uintptr_t function, size_t bytes) {
    return at < seen->count && seen->frames[at].address - function < bytes;
}

// The index of the first frame in the function, from `at` on; seen->count if there is none.
static size_t find(const struct seen *seen, size_t at, uintptr_t function, size_t bytes) {
    while (at < seen->count && !is_in(seen, at, function, bytes)) at++;
    return at;
}

// Calls function(seen), which its second argument is, in frames that compilers make seldom or never.
typedef void passing(struct seen *seen, void (*function)(struct seen *));
#define FUNCTION(name, body)                                                                                           \
    passing name;                                                                                                      \
    __asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ", @function\n" #name ":\n" body ".size " #name        \
            ", .-" #name "\n");

// The way back hangs on rbx.
FUNCTION(way_back_in_rbx, " .cfi_startproc\n push %rbx\n .cfi_def_cfa_offset 16\n mov %rsp, %rbx\n"
                          " .cfi_def_cfa %rbx, 16\n .cfi_offset %rbx, -16\n and $-64, %rsp\n sub $64, %rsp\n"
                          " call *%rsi\n mov %rbx, %rsp\n pop %rbx\n .cfi_def_cfa %rsp, 8\n .cfi_restore %rbx\n"
                          " ret\n .cfi_endproc\n")
// … and is told by an expression: what lies at rsp + 16, and 8.
FUNCTION(way_back_on_stack, " .cfi_startproc\n mov %rsp, %rax\n and $-64, %rsp\n sub $64, %rsp\n mov %rax, 16(%rsp)\n"
                            " .cfi_escape 0x0f, 0x05, 0x77, 0x10, 0x06, 0x23, 0x08\n"
                            " call *%rsi\n mov 16(%rsp), %rsp\n .cfi_def_cfa %rsp, 8\n ret\n .cfi_endproc\n")
// Without unwind tables; the second leaves its caller's frame pointer where it is, which fools who follows those.
FUNCTION(without_tables, " push %rbp\n mov %rsp, %rbp\n call *%rsi\n pop %rbp\n ret\n")
FUNCTION(without_tables_too, " sub $24, %rsp\n call *%rsi\n add $24, %rsp\n ret\n")
// Its tables are wrong: nothing, the end of the address space, an odd address and the program's own code are no stack.
#define WRONG(name, value)                                                                                             \
    FUNCTION(name, " .cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset %rbp, -16\n mov " value         \
                   ", %rbp\n .cfi_def_cfa %rbp, 16\n call *%rsi\n pop %rbp\n .cfi_def_cfa %rsp, 8\n ret\n"             \
                   " .cfi_endproc\n")
WRONG(wrong_by_nothing, "$64")
WRONG(wrong_by_end, "$-16")
WRONG(wrong_by_odd, "$0x12345677")
// Its caller's stack pointer is its own: the walk would never end.
FUNCTION(wrong_in_a_circle,
         " .cfi_startproc\n sub $24, %rsp\n .cfi_def_cfa_offset 0\n .cfi_escape 0x10, 0x10, 0x02, 0x77, "
         "0x78\n call *%rsi\n add $24, %rsp\n .cfi_def_cfa_offset 8\n ret\n .cfi_endproc\n")

enum { FUNCTION_BYTES = 64 }; // more than each of them has, and less than what lies between two of others

__attribute__((noinline)) static void caller_of(passing *function, struct seen *seen) {
    function(seen, see);
    __asm__ volatile("" ::: "memory"); // behind the call, or this would be no frame
}

// Given a way back by other registers than the stack and the frame pointer, when the callers differ, then each is told.
static void other_registers_lead_back_too(void **state) {
    (void)state;
    passing *const functions[] = {way_back_in_rbx, way_back_on_stack};
    for (size_t i = 0; i < 2; i++) {
        for (int turn = 0; turn < three; turn++) {
            struct seen seen = {0};
            caller_of(functions[i], &seen);
            size_t at = find(&seen, 0, (uintptr_t)functions[i], FUNCTION_BYTES);
            assert_true(is_in(&seen, at + 1, (uintptr_t)caller_of, FUNCTION_BYTES));
            assert_true(seen.count > at + 3);
        }
    }
}

// Given code that no table covers, when a stack leads through it, then it ends there.
static void a_walk_ends_where_no_table_is(void **state) {
    (void)state;
    passing *const functions[] = {without_tables, without_tables_too};
    for (size_t i = 0; i < 2; i++) {
        struct seen seen = {0};
        caller_of(functions[i], &seen);
        assert_true(is_in(&seen, seen.count - 1, (uintptr_t)functions[i], FUNCTION_BYTES));
    }
}

// The same of code that was made at run time.
static void a_walk_ends_at_generated_code(void **state) {
    (void)state;
    static const uint8_t code[] = {0x48, 0x83, 0xec, 0x18, 0xff, 0xd6, 0x48, 0x83, 0xc4, 0x18, 0xc3};
    uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct seen seen = {0};
    assert_true(page != MAP_FAILED);
    memcpy(page, code, sizeof code);
    assert_int_equal(mprotect(page, 4096, PROT_READ | PROT_EXEC), 0);
    caller_of((passing *)(uintptr_t)page, &seen);
    assert_true(is_in(&seen, seen.count - 1, (uintptr_t)page, sizeof code));
    munmap(page, 4096);
}

// Given tables that are wrong, when a stack leads through such code, then the walk ends, and the program lives.
static void wrong_tables_do_no_harm(void **state) {
    (void)state;
    passing *const functions[] = {wrong_by_nothing, wrong_by_end, wrong_by_odd, wrong_in_a_circle};
    for (size_t i = 0; i < 4; i++) {
        struct seen seen = {0};
        caller_of(functions[i], &seen);
        size_t at = find(&seen, 0, (uintptr_t)functions[i], FUNCTION_BYTES);
        assert_true(at < seen.count);
        if (functions[i] != wrong_in_a_circle) assert_int_equal(at, seen.count - 1);
    }
}

static struct seen in_handler;

static void skip_instruction(int number, siginfo_t *info, void *context) {
    ucontext_t *at = context;
    (void)number, (void)info;
    at->uc_mcontext.gregs[REG_RIP] += 2;
    see(&in_handler);
}

__attribute__((noinline)) static void interrupted(void) {
    __asm__ volatile("ud2" ::: "memory");
}

__attribute__((noinline)) static void caller_of_interrupted(void) {
    interrupted();
    __asm__ volatile("" ::: "memory");
}

// Given a handler that interrupted a function, then that and its callers are found, and no frame is left out.
static void a_signal_s_frame_is_left(void **state) {
    (void)state;
    struct sigaction action = {.sa_sigaction = skip_instruction, .sa_flags = SA_SIGINFO}, before;
    sigaction(SIGILL, &action, &before);
    for (int i = 0; i < three; i++) {
        in_handler.count = 0;
        caller_of_interrupted();
        size_t at = find(&in_handler, 0, (uintptr_t)interrupted, FUNCTION_BYTES);
        assert_true(at + 2 < in_handler.count);
        assert_true(is_in(&in_handler, at + 1, (uintptr_t)caller_of_interrupted, FUNCTION_BYTES));
    }
    sigaction(SIGILL, &before, NULL);
}
#endif

static int with_loader(void **state) {
    (void)state;
    mt_unwind_modules_start(true);
    return 0;
}

// Given a C library that can't be asked, then its list answers alike, also for what is loaded later.
static void the_loader_s_list_answers_alike(void **state) {
    (void)state;
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    const void *places[] = {(void *)the_loader_s_list_answers_alike, (void *)strlen, dlsym(library, "dwarf_begin"),
                            places};
    struct mt_code asked[4] = {0}, listed[4] = {0};
    bool known[4];
    for (int i = 0; i < 4; i++) known[i] = mt_unwind_module((uintptr_t)places[i], &asked[i]);
    mt_unwind_modules_start(false);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(known[i], i < 3);
        assert_int_equal(mt_unwind_module((uintptr_t)places[i], &listed[i]), known[i]);
        if (!known[i]) continue;
        assert_int_equal(listed[i].start, asked[i].start);
        assert_int_equal(listed[i].table, asked[i].table);
    }
    dlclose(library);
    assert_false(mt_unwind_module((uintptr_t)places[2], &listed[2]));
    generation++;
    what_is_found_is_true(state);
    mt_unwind_modules_start(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_found_is_true),
#ifdef __x86_64__
        cmocka_unit_test(other_registers_lead_back_too),   cmocka_unit_test(a_walk_ends_where_no_table_is),
        cmocka_unit_test(a_walk_ends_at_generated_code),   cmocka_unit_test(wrong_tables_do_no_harm),
        cmocka_unit_test(a_signal_s_frame_is_left),
#endif
        cmocka_unit_test(the_loader_s_list_answers_alike),
    };
    return cmocka_run_group_tests(tests, with_loader, NULL);
}
