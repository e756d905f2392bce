/*
 * MEMTRACE_* as users write it: paths with placeholders, ranks of three launchers, and values that make no sense.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/options.h"
#include "tracer/trace.h"

static const char *const variables[] = {
    "MEMTRACE_OUT", "MEMTRACE_FEED", "MEMTRACE_STACKS", "MEMTRACE_LAUNCH_STACKS", "MEMTRACE_MAX_SIZE",
    "RANK",         "LOCAL_RANK",    "WORLD_SIZE",      "SLURM_PROCID",           "OMPI_COMM_WORLD_RANK"};

static int clear_environment(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) unsetenv(variables[i]);
    setenv("MEMTRACE_QUIET", "1", 1);
    return 0;
}

static void without_variables_there_are_defaults(void **state) {
    (void)state;
    struct mt_options options;
    assert_int_equal(mt_options_read(&options, "/home/me"), 0);
    assert_string_equal(options.path, "/home/me/trace.bin");
    assert_int_equal(options.feed, MT_FEED_AUTO);
    assert_int_equal(options.stack_depth, 128);
    assert_true(options.max_bytes == MT_MAX_BY_ROOM);
    assert_true(options.arguments);
}

static void sizes_have_units(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } sizes[] = {
        {"1000", 1000},
        {"0", 0},
        {"off", 0},
        {"64K", 64 << 10},
        {"3m", 3 << 20},
        {"2G", 2ull << 30},
        {"1TiB", 1ull << 40},
        {"500MB", 500 << 20},
        {"2X", MT_MAX_BY_ROOM},
        {"-1", MT_MAX_BY_ROOM},
        {"1 G", MT_MAX_BY_ROOM},
        {"99999999999999999999", MT_MAX_BY_ROOM},
        {"99999999999999T", MT_MAX_BY_ROOM},
        {"2Gib x", MT_MAX_BY_ROOM},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct mt_options options;
        setenv("MEMTRACE_MAX_SIZE", sizes[i].text, 1);
        assert_int_equal(mt_options_read(&options, "/"), 0);
        assert_true(options.max_bytes == sizes[i].bytes);
    }
}

static void relative_paths_start_in_the_given_folder_absolute_ones_do_not(void **state) {
    (void)state;
    char path[64];
    assert_int_equal(mt_options_expand("a/b.bin", "/tmp", path, sizeof path), 0);
    assert_string_equal(path, "/tmp/a/b.bin");
    assert_int_equal(mt_options_expand("/x/b.bin", "/tmp", path, sizeof path), 0);
    assert_string_equal(path, "/x/b.bin");
}

static void placeholders_are_replaced(void **state) {
    (void)state;
    char path[64], expected[64];
    setenv("RANK", "3", 1);
    snprintf(expected, sizeof expected, "/t.3.%ld.50%%.%%x.%%", (long)getpid());
    assert_int_equal(mt_options_expand("/t.%r.%p.50%%.%x.%", "/", path, sizeof path), 0);
    assert_string_equal(path, expected);
}

static void a_rank_does_not_choose_the_folder(void **state) {
    (void)state;
    char path[64];
    setenv("RANK", "../../etc/x", 1);
    assert_int_equal(mt_options_expand("/t.%r", "/", path, sizeof path), 0);
    assert_string_equal(path, "/t..._.._etc_x");
}

static void without_a_rank_it_is_the_process(void **state) {
    (void)state;
    char path[64], expected[64];
    snprintf(expected, sizeof expected, "/t.%ld", (long)getpid());
    assert_int_equal(mt_options_expand("/t.%r", "/", path, sizeof path), 0);
    assert_string_equal(path, expected);
}

static void the_host_is_named(void **state) {
    (void)state;
    char path[512], host[256], expected[512];
    assert_int_equal(gethostname(host, sizeof host), 0);
    snprintf(expected, sizeof expected, "/%s", host);
    assert_int_equal(mt_options_expand("/%h", "/", path, sizeof path), 0);
    assert_string_equal(path, expected);
}

static void a_path_that_does_not_fit_is_refused(void **state) {
    (void)state;
    char path[8];
    assert_int_equal(mt_options_expand("/1234567", "/", path, sizeof path), -ENAMETOOLONG);
    assert_int_equal(mt_options_expand("/123456", "/", path, sizeof path), 0);
    assert_string_equal(path, "/123456");
}

static void ranks_come_from_the_first_launcher_that_is_there(void **state) {
    (void)state;
    const char *launcher = NULL;
    assert_null(mt_rank_variable(MT_RANK, &launcher));
    setenv("OMPI_COMM_WORLD_RANK", "7", 1);
    assert_string_equal(mt_rank_variable(MT_RANK, &launcher), "7");
    assert_string_equal(launcher, "openmpi");
    setenv("SLURM_PROCID", "8", 1);
    assert_string_equal(mt_rank_variable(MT_RANK, &launcher), "8");
    setenv("RANK", "9", 1);
    setenv("WORLD_SIZE", "16", 1);
    assert_string_equal(mt_rank_variable(MT_RANK, &launcher), "9");
    assert_string_equal(launcher, "torchrun");
    assert_string_equal(mt_rank_variable(MT_WORLD_SIZE, NULL), "16");
}

static void feeds_and_depths_are_read(void **state) {
    (void)state;
    struct mt_options options;
    setenv("MEMTRACE_FEED", "both", 1);
    setenv("MEMTRACE_STACKS", "off", 1);
    assert_int_equal(mt_options_read(&options, "/"), 0);
    assert_int_equal(options.feed, MT_FEED_BOTH);
    assert_int_equal(options.stack_depth, 0);
    setenv("MEMTRACE_FEED", "hooks", 1);
    setenv("MEMTRACE_STACKS", "256", 1);
    assert_int_equal(mt_options_read(&options, "/"), 0);
    assert_int_equal(options.feed, MT_FEED_HOOKS);
    assert_int_equal(options.stack_depth, 256);
}

static void launch_stacks_are_wanted_by_1_alone(void **state) {
    (void)state;
    static const char *const values[] = {"0", "", "1", "yes"};
    struct mt_options options;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        setenv("MEMTRACE_LAUNCH_STACKS", values[i], 1);
        assert_int_equal(mt_options_read(&options, "/"), 0);
        assert_int_equal(options.launch_stacks, i == 2);
    }
}

static void values_that_make_no_sense_mean_the_default(void **state) {
    (void)state;
    static const char *const depths[] = {"257", "-1", "12x", "many", "99999999999999999999"};
    struct mt_options options;
    setenv("MEMTRACE_FEED", "CUPTI", 1);
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        setenv("MEMTRACE_STACKS", depths[i], 1);
        assert_int_equal(mt_options_read(&options, "/"), 0);
        assert_int_equal(options.feed, MT_FEED_AUTO);
        assert_int_equal(options.stack_depth, 128);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, clear_environment)
    const struct CMUnitTest tests[] = {
        TEST(without_variables_there_are_defaults),
        TEST(sizes_have_units),
        TEST(relative_paths_start_in_the_given_folder_absolute_ones_do_not),
        TEST(placeholders_are_replaced),
        TEST(a_rank_does_not_choose_the_folder),
        TEST(without_a_rank_it_is_the_process),
        TEST(the_host_is_named),
        TEST(a_path_that_does_not_fit_is_refused),
        TEST(ranks_come_from_the_first_launcher_that_is_there),
        TEST(feeds_and_depths_are_read),
        TEST(launch_stacks_are_wanted_by_1_alone),
        TEST(values_that_make_no_sense_mean_the_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
