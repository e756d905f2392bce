/*
 * What the tracer remembers of kernels: their names by function, and which were launched before; for any number of
 * them, loaded and unloaded any number of times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "preload/driver.h"
#include "preload/effects/capture.h"
#include "preload/effects/kernels.h"
#include "preload/session.h"

// The recorder: ids count up.
static const char *kernel_names[32];
static uint32_t kernels_defined;

struct mt_trace *mt_session_trace(void) {
    return NULL;
}

uint32_t mt_define_kernel(struct mt_trace *trace, const char *name) {
    (void)trace;
    for (uint32_t i = 0; i < kernels_defined; i++) {
        if (strcmp(kernel_names[i], name) == 0) return i + 1;
    }
    kernel_names[kernels_defined] = name;
    return ++kernels_defined;
}

// The driver.
static bool may_ask;

bool mt_may_ask(void) {
    return may_ask;
}

static CUresult fake_kernel_name(const char **name, CUkernel kernel) {
    *name = "named_by_driver";
    return kernel == (CUkernel)0x99 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

struct mt_driver mt_driver = {.kernel_get_name = fake_kernel_name};

static struct mt_call launch(const char *symbol) {
    return (struct mt_call){.result = CUDA_SUCCESS, .symbol = symbol};
}

static void a_kernel_is_first_once_until_code_is_unloaded(void **state) {
    (void)state;
    static const char symbol[] = "scale";
    const struct mt_call call = launch(symbol);
    bool first;
    uint32_t id = mt_kernel_id(&call, (CUfunction)0x1, &first);
    assert_true(first);
    assert_int_equal(mt_kernel_id(&call, (CUfunction)0x1, &first), id);
    assert_false(first);
    mt_kernels_forget();
    assert_int_equal(mt_kernel_id(&call, (CUfunction)0x1, &first), id);
    assert_true(first);
}

static void the_same_function_under_another_name_is_another_kernel(void **state) {
    (void)state;
    const struct mt_call one = launch("one"), two = launch("two");
    bool first;
    uint32_t id = mt_kernel_id(&one, (CUfunction)0x2, &first);
    assert_int_not_equal(mt_kernel_id(&two, (CUfunction)0x2, &first), id);
    assert_int_equal(mt_kernel_id(&one, (CUfunction)0x2, &first), id);
}

static void without_a_symbol_the_lookup_or_the_driver_names_the_kernel(void **state) {
    (void)state;
    const struct mt_call call = launch(NULL);
    bool first;
    mt_kernel_named((void *)0x3, "looked_up");
    uint32_t id = mt_kernel_id(&call, (CUfunction)0x3, &first);
    assert_string_equal(kernel_names[id - 1], "looked_up");
    id = mt_kernel_id(&call, (CUfunction)0x99, &first);
    assert_string_equal(kernel_names[id - 1], "named_by_driver");
    assert_int_equal(mt_kernel_id(&call, (CUfunction)0x4, &first), 0);
}

// One launch each of `count` functions from `base` on; how many were the first of theirs.
static unsigned launch_all(uintptr_t base, uintptr_t count) {
    static const char *const names[] = {"k0", "k1", "k2", "k3", "k4", "k5", "k6"};
    unsigned firsts = 0;
    for (uintptr_t i = 0; i < count; i++) {
        const struct mt_call call = launch(names[i % 7]);
        bool first;
        uint32_t id = mt_kernel_id(&call, (CUfunction)(base + 64 * i), &first);
        assert_string_equal(kernel_names[id - 1], names[i % 7]);
        firsts += first;
    }
    return firsts;
}

static void many_kernels_are_told_apart(void **state) {
    (void)state;
    assert_int_equal(launch_all(0x100000, 50000), 50000);
    assert_int_equal(launch_all(0x100000, 50000), 0);
}

// As in a program that compiles, runs and unloads for as long as it lives.
static void kernels_that_were_unloaded_make_room_for_others(void **state) {
    (void)state;
    for (uintptr_t round = 0; round < 200; round++) {
        mt_kernels_forget();
        assert_int_equal(launch_all(0x10000000 + 0x1000000 * (round % 8), 1000), 1000);
        assert_int_equal(launch_all(0x10000000 + 0x1000000 * (round % 8), 1000), 0);
    }
}

static atomic_bool over;

static void *unload_until_over(void *unused) {
    while (!atomic_load(&over)) mt_kernels_forget();
    return unused;
}

static void *launch_many(void *unused) {
    for (int round = 0; round < 20; round++) launch_all(0x40000000, 500);
    return unused;
}

static void names_stay_right_while_others_unload(void **state) {
    (void)state;
    pthread_t unloader, launchers[2];
    launch_all(0x40000000, 7); // all names are defined, so that the recorder only reads
    assert_int_equal(pthread_create(&unloader, NULL, unload_until_over, NULL), 0);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&launchers[i], NULL, launch_many, NULL), 0);
    for (int i = 0; i < 2; i++) pthread_join(launchers[i], NULL);
    atomic_store(&over, true);
    pthread_join(unloader, NULL);
}

static void a_failed_launch_is_not_the_first(void **state) {
    (void)state;
    struct mt_call call = launch("late");
    bool first;
    call.result = CUDA_ERROR_INVALID_VALUE;
    mt_kernel_id(&call, (CUfunction)0x5, &first);
    assert_false(first);
    call.result = CUDA_SUCCESS;
    mt_kernel_id(&call, (CUfunction)0x5, &first);
    assert_true(first);
}

static void the_driver_is_not_asked_about_the_handle_of_a_failed_launch(void **state) {
    (void)state;
    struct mt_call call = launch(NULL);
    bool first;
    call.result = CUDA_ERROR_INVALID_HANDLE;
    assert_int_equal(mt_kernel_id(&call, (CUfunction)0x99, &first), 0);
    call.result = CUDA_SUCCESS;
    assert_int_not_equal(mt_kernel_id(&call, (CUfunction)0x99, &first), 0);
}

static void a_lookup_is_the_first_once_even_of_a_kernel_without_a_name(void **state) {
    (void)state;
    const struct mt_call call = launch(NULL);
    assert_true(mt_kernel_first_lookup(&call, (CUkernel)0x6));
    assert_false(mt_kernel_first_lookup(&call, (CUkernel)0x6));
}

static void a_function_that_was_named_anew_is_another_kernel(void **state) {
    (void)state;
    const struct mt_call call = launch(NULL);
    bool first;
    mt_kernel_named((void *)0x7, "before");
    mt_kernel_id(&call, (CUfunction)0x7, &first);
    mt_kernel_named((void *)0x7, "after");
    assert_string_equal(kernel_names[mt_kernel_id(&call, (CUfunction)0x7, &first) - 1], "after");
    assert_true(first);
}

static void a_kernel_first_launched_beside_a_capture_is_first_after_it(void **state) {
    (void)state;
    const struct mt_call call = launch("beside");
    bool first;
    may_ask = false;
    mt_kernel_id(&call, (CUfunction)0x8, &first);
    assert_false(first);
    may_ask = true;
    mt_kernel_id(&call, (CUfunction)0x8, &first);
    assert_true(first);
}

static int begin_test(void **state) {
    (void)state;
    may_ask = true;
    mt_kernels_forget();
    return 0;
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, begin_test)
    const struct CMUnitTest tests[] = {
        TEST(a_kernel_is_first_once_until_code_is_unloaded),
        TEST(the_same_function_under_another_name_is_another_kernel),
        TEST(without_a_symbol_the_lookup_or_the_driver_names_the_kernel),
        TEST(many_kernels_are_told_apart),
        TEST(kernels_that_were_unloaded_make_room_for_others),
        TEST(names_stay_right_while_others_unload),
        TEST(a_failed_launch_is_not_the_first),
        TEST(the_driver_is_not_asked_about_the_handle_of_a_failed_launch),
        TEST(a_lookup_is_the_first_once_even_of_a_kernel_without_a_name),
        TEST(a_function_that_was_named_anew_is_another_kernel),
        TEST(a_kernel_first_launched_beside_a_capture_is_first_after_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
