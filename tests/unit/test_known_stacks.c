/*
 * Stacks that are known again: whatever is recalled is what unwinding finds, however calls of equal and of different
 * frames follow each other; and what can't be sure is unwound.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "preload/known_stacks.h"

enum { FRAMES = 256 };

// Not for the compiler to know: an unrolled loop calls from several places.
static volatile int three = 3;

static int (*unwind)(void **addresses, int count);
static uint64_t generation;

struct seen {
    struct mt_frame frames[FRAMES]; // by unwinding
    size_t count;
    bool known;
    bool right; // what was known is what unwinding found
    bool cut;
};

static bool equal(const struct mt_frame *one, const struct mt_frame *other, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (one[i].address != other[i].address) return false;
    }
    return true;
}

// Looks at the stack as the tracer does, and at the same time unwinds it, which is the truth.
__attribute__((noinline)) static void see(struct seen *seen, bool cut) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    struct mt_frame frames[FRAMES];
    void *addresses[FRAMES];
    size_t known = mt_known_stack(here, generation, frames, FRAMES, &seen->cut);
    int found = unwind(addresses, FRAMES), first = 0;
    while (first < found && addresses[first] != __builtin_return_address(0)) first++;
    seen->count = (size_t)(found - first);
    for (size_t i = 0; i < seen->count; i++) {
        seen->frames[i] = (struct mt_frame){.address = (uintptr_t)addresses[first + (int)i]};
    }
    seen->known = known > 0;
    seen->right = known == seen->count && equal(frames, seen->frames, known);
    if (!known) mt_learn_stack(here, generation, seen->frames, seen->count, cut);
}

__attribute__((noinline)) static void one_caller(struct seen *seen) {
    see(seen, false);
    __asm__ volatile("" ::: "memory"); // behind the call, or this would be no frame
}

__attribute__((noinline)) static void another_caller(struct seen *seen) {
    see(seen, false);
    __asm__ volatile("" ::: "memory");
}

// Given a stack that has been seen twice, when it comes again, then it is known; two that differ in one caller are told
// apart although all else is equal.
static void a_stack_is_known_the_third_time(void **state) {
    (void)state;
    struct seen seen;
    static const bool expected[] = {false, false, true, true};
    void (*const callers[])(struct seen *) = {one_caller, another_caller};
    for (int i = 0; i <= three; i++) {
        for (size_t j = 0; j < 2; j++) {
            callers[j](&seen);
            assert_int_equal(seen.known, expected[i]);
            if (seen.known) assert_true(seen.right);
        }
    }
}

// Given a known stack, when a library has gone (another generation), then it must be learnt anew.
static void another_generation_knows_nothing(void **state) {
    (void)state;
    struct seen seen;
    for (int i = 0; i < three; i++) one_caller(&seen);
    assert_true(seen.known);
    generation++;
    for (int i = 0; i < three; i++) {
        one_caller(&seen);
        assert_int_equal(seen.known, i == 2);
    }
}

static void *look_in_thread(void *seen) {
    for (int i = 0; i < three; i++) one_caller(seen);
    mt_known_stacks_drop();
    return NULL;
}

// Given what one thread has learnt, when another's stack lies elsewhere or where the first one's lay, then it is its
// own.
static void threads_learn_for_themselves(void **state) {
    (void)state;
    for (int i = 0; i < three; i++) {
        struct seen seen = {0};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, look_in_thread, &seen), 0);
        pthread_join(thread, NULL);
        assert_true(seen.known && seen.right);
    }
}

__attribute__((noinline)) static void cut_caller(struct seen *seen) {
    see(seen, true);
    __asm__ volatile("" ::: "memory");
}

static void a_cut_stack_is_recalled_as_cut(void **state) {
    (void)state;
    struct seen seen;
    for (int i = 0; i < three; i++) cut_caller(&seen);
    assert_true(seen.known && seen.cut);
    for (int i = 0; i < three; i++) one_caller(&seen);
    assert_true(seen.known && !seen.cut);
}

static struct seen in_handler;

static void handler(int signal) {
    (void)signal;
    one_caller(&in_handler);
}

// Given a stack with a signal's frame in it, then it is unwound each time: the frame's place is not the program's.
static void a_signal_s_stack_is_never_known(void **state) {
    (void)state;
    signal(SIGUSR1, handler);
    for (int i = 0; i <= three; i++) {
        raise(SIGUSR1);
        assert_false(in_handler.known);
    }
    signal(SIGUSR1, SIG_DFL);
}

// Random calls: a number decides who calls whom, and how much room each takes.
struct walk {
    uint64_t number;
    struct seen seen;
};

static unsigned draw(struct walk *walk, unsigned below) {
    walk->number = walk->number * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(walk->number >> 33) % below;
}

typedef void caller(struct walk *walk, int depth);
static caller *const callers[6];

static void go_on(struct walk *walk, int depth) {
    if (depth == 0) {
        see(&walk->seen, false);
    } else {
        callers[draw(walk, 6)](walk, depth - 1);
    }
}

#define CALLER(name, size, ...)                                                                                        \
    __attribute__((noinline)) static void name(struct walk *walk, int depth) {                                         \
        __VA_ARGS__ volatile char area[size];                                                                          \
        area[0] = 1;                                                                                                   \
        go_on(walk, depth);                                                                                            \
        area[0]++;                                                                                                     \
    }
CALLER(small, 16)
CALLER(same_size, 16)
CALLER(larger, 80)
CALLER(changing, 16 + 16 * draw(walk, 3))
CALLER(changing_too, 16 + 16 * draw(walk, 3))
CALLER(aligned, 32, _Alignas(64))
static caller *const callers[6] = {small, same_size, larger, changing, changing_too, aligned};

// Given calls through frames of fixed, changing and aligned size, when a stack is known, then it is the true one.
static void what_is_known_is_true(void **state) {
    (void)state;
    struct walk walk = {.number = 1};
    unsigned known = 0;
    for (unsigned i = 0; i < 20000; i++) {
        int depth = 1 + (int)draw(&walk, 4);
        go_on(&walk, depth);
        if (!walk.seen.known) continue;
        known++;
        assert_true(walk.seen.right);
    }
    assert_true(known > 1000);
}

// Frames that differ in their room by less than the alignment of what they call: all that is deeper stays where it is.
__attribute__((noinline)) static void realigned(struct seen *seen) {
    _Alignas(64) volatile char area[64];
    volatile char room[16 * three]; // with which the compiler needs one more register to find the way back
    area[0] = room[0] = 1;
    see(seen, false);
    area[0] += room[0];
}

#define ROOM(name, size)                                                                                               \
    __attribute__((noinline)) static void name(struct seen *seen) {                                                    \
        volatile char area[size];                                                                                      \
        area[size - 1] = 1;                                                                                            \
        realigned(seen);                                                                                               \
        area[size - 1]++;                                                                                              \
    }
ROOM(room_16, 16)
ROOM(room_32, 32)
ROOM(room_48, 48)
ROOM(room_64, 64)

// Given a known stack with a realigned frame, when another caller of that leaves the first one's words on the stack
// untouched, then the other is told.
static void a_realigned_frame_s_caller_is_told(void **state) {
    (void)state;
    void (*const rooms[])(struct seen *) = {room_16, room_32, room_48, room_64};
    for (int pair = 0; pair < 16; pair++) {
        for (int i = 0; i <= three; i++) {
            struct seen seen;
            rooms[i < three ? pair / 4 : pair % 4](&seen);
            if (seen.known) assert_true(seen.right);
        }
    }
}

static int find_unwinder(void **state) {
    (void)state;
    void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (!library) return -1;
    *(void **)&unwind = dlsym(library, "unw_backtrace");
    mt_known_stacks_start(library);
    return unwind ? 0 : -1;
}

static int forget(void **state) {
    (void)state;
    mt_known_stacks_drop();
    return 0;
}

int main(void) {
#ifndef __x86_64__
    return 0;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_stack_is_known_the_third_time, forget),
        cmocka_unit_test_teardown(another_generation_knows_nothing, forget),
        cmocka_unit_test_teardown(threads_learn_for_themselves, forget),
        cmocka_unit_test_teardown(a_cut_stack_is_recalled_as_cut, forget),
        cmocka_unit_test_teardown(a_signal_s_stack_is_never_known, forget),
        cmocka_unit_test_teardown(what_is_known_is_true, forget),
        cmocka_unit_test_teardown(a_realigned_frame_s_caller_is_told, forget),
    };
    return cmocka_run_group_tests(tests, find_unwinder, NULL);
}
