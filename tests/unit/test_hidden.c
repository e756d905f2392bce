/*
 * Device memory reconciled: what allocations take, what other calls took, what nothing explains.
 */
#include <unistd.h>

#include "tests/unit/scripts.h"
#include "viewer/analysis/hidden.h"
#include "viewer/views/views.h"

// One measurement of the device, as the doing of `api`.
static void sample(struct script *script, uint32_t api, uint32_t stack, uint64_t used) {
    script_event(script, MT_EFFECT_SAMPLED, api, stack, MT_TAG_DEVICE, (uint64_t)0, MT_TAG_USED, used,
                 MT_TAG_SAMPLE_SOURCE, (uint64_t)MT_SAMPLE_DEVICE, 0);
}

static void sample_own(struct script *script, uint64_t used) {
    script_event(script, MT_EFFECT_SAMPLED, 0, 0, MT_TAG_DEVICE, (uint64_t)0, MT_TAG_USED, used, MT_TAG_SAMPLE_SOURCE,
                 (uint64_t)MT_SAMPLE_PROCESS, 0);
}

struct apis {
    uint32_t context, load, launch, stream;
};

static struct apis define_apis(struct script *script) {
    struct mt_trace *trace = script->trace;
    return (struct apis){
        .context = mt_define_api(trace, "cuCtxCreate_v4", MT_EFFECT_CONTEXT_CREATED, MT_MEMORY_DEVICE),
        .load = mt_define_api(trace, "cuModuleLoadData", MT_EFFECT_LOADED, MT_MEMORY_DEVICE),
        .launch = mt_define_api(trace, "cuLaunchKernel", MT_EFFECT_LAUNCHED, MT_MEMORY_NONE),
        .stream = mt_define_api(trace, "cuStreamCreate", MT_EFFECT_SAMPLED, MT_MEMORY_DEVICE),
    };
}

static struct mt_hidden peak, end;

static void find(struct script *script) {
    mt_hidden_find(script_report(script), 0, &peak, &end);
}

static void close_all(struct script *script) {
    mt_hidden_clear(&peak);
    mt_hidden_clear(&end);
    script_close(script);
}

static void test_a_report_adds_up(void **state) {
    struct script *script = script_begin(state);
    struct apis apis = define_apis(script);
    uint32_t stack = script_stack(script, "init t.py:3", "main t.py:9", NULL);
    uint64_t kernel = mt_define_kernel(script->trace, "_Z4reluPfi");
    sample(script, apis.context, stack, 500 * MIB);
    script_alloc(script, script->malloc_api, 0x4000000, 3 * MIB, stack); // takes 4
    sample(script, apis.load, stack, 520 * MIB);
    script_event(script, MT_EFFECT_SAMPLED, apis.launch, stack, MT_TAG_DEVICE, (uint64_t)0, MT_TAG_USED, 610 * MIB,
                 MT_TAG_KERNEL, kernel, 0);
    sample(script, 0, 0, 611 * MIB); // at exit: somebody took one more
    char *text = script_show(script_report(script), mt_view_hidden);
    const char *at = strstr(text, "in use at exit");
    assert_non_null(at);
    assert_string_equal(
        strchr(at, '\n') + 1,
        "  Measured 4 times for the whole device: if other processes use it, theirs is in it.\n"
        "              bytes                share    count  call site: what took it\n"
        "          3,145,728    3.00 MiB    0.5 %        1  t.py:3 init: cuMemAlloc\n"
        "          1,048,576    1.00 MiB    0.2 %           rounding to the device's pages of 2.00 MiB\n"
        "          4,194,304    4.00 MiB    0.7 %        1  traced: allocations\n"
        "        524,288,000   500.0 MiB   81.8 %        1  t.py:3 init: context, by cuCtxCreate\n"
        "         94,371,840    90.0 MiB   14.7 %        1  t.py:3 init: first launch of relu\n"
        "         16,777,216    16.0 MiB    2.6 %        1  t.py:3 init: code, by cuModuleLoadData\n"
        "        635,437,056   606.0 MiB   99.2 %        3  hidden: what no allocation explains\n"
        "          1,048,576    1.00 MiB    0.2 %           unexplained\n"
        "        640,679,936   611.0 MiB  100.0 %           in use\n"
        "\n");
    free(text);
    script_close(script);
}

static void test_the_highest_moment_is_not_the_end(void **state) {
    struct script *script = script_begin(state);
    struct apis apis = define_apis(script);
    sample(script, apis.context, 0, 500 * MIB);
    script_alloc(script, script->malloc_api, 0x4000000, 64 * MIB, 0);
    script_free(script, script->free_api, 0x4000000, 0);
    sample(script, apis.stream, 0, 502 * MIB);
    find(script);
    assert_int_equal(peak.in_use, 564 * MIB);
    assert_int_equal(peak.traced, 64 * MIB);
    assert_int_equal(peak.hidden.bytes, 500 * MIB);
    assert_int_equal(peak.samples, 1);
    assert_int_equal(end.in_use, 502 * MIB);
    assert_int_equal(end.traced, 0);
    assert_int_equal(end.hidden.bytes, 502 * MIB);
    close_all(script);
}

static void test_calls_of_one_site_and_cause_are_one_row(void **state) {
    struct script *script = script_begin(state);
    struct apis apis = define_apis(script);
    uint32_t stack = script_stack(script, "open t.py:3", NULL);
    sample(script, apis.context, stack, 500 * MIB);
    sample(script, apis.stream, stack, 502 * MIB);
    sample(script, apis.stream, stack, 502 * MIB); // took nothing
    sample(script, apis.stream, stack, 504 * MIB);
    find(script);
    assert_int_equal(end.hidden.count, 2);
    assert_string_equal(end.hidden.items[1].label, "t.py:3 open: cuStreamCreate");
    assert_int_equal(end.hidden.items[1].bytes, 4 * MIB);
    assert_int_equal(end.hidden.items[1].count, 2);
    close_all(script);
}

static void test_what_was_in_use_before_is_the_others(void **state) {
    struct script *script = script_begin(state);
    struct apis apis = define_apis(script);
    script_event(script, MT_EFFECT_SAMPLED, apis.context, 0, MT_TAG_DEVICE, (uint64_t)0, MT_TAG_USED, 800 * MIB,
                 MT_TAG_BEFORE, 300 * MIB, 0);
    find(script);
    assert_true(end.others_known);
    assert_int_equal(end.others, 300 * MIB);
    assert_int_equal(end.in_use, 500 * MIB);
    assert_int_equal(end.hidden.bytes, 500 * MIB);
    close_all(script);
}

static void test_figures_of_the_process_tell_others_and_what_is_unexplained(void **state) {
    struct script *script = script_begin(state);
    struct apis apis = define_apis(script);
    sample(script, apis.context, 0, 800 * MIB);
    sample_own(script, 500 * MIB); // others have 300
    sample(script, apis.stream, 0, 802 * MIB);
    script_alloc(script, script->malloc_api, 0x4000000, 8 * MIB, 0);
    sample(script, 0, 0, 1810 * MIB); // another process took 1000 meanwhile …
    sample_own(script, 513 * MIB);    // … and this one 3 that nobody saw
    find(script);
    assert_true(end.own);
    assert_int_equal(end.others, (1810 - 513) * MIB);
    assert_int_equal(end.in_use, 513 * MIB);
    assert_int_equal(end.traced, 8 * MIB);
    assert_int_equal(end.hidden.bytes, 502 * MIB);
    assert_int_equal(end.unexplained, 3 * MIB);
    close_all(script);
}

// A figure of this process taken at the end of a call, beside the whole device's.
static void sample_beside(struct script *script, uint32_t api, uint64_t own, uint64_t device) {
    script_event(script, MT_EFFECT_SAMPLED, api, 0, MT_TAG_DEVICE, (uint64_t)0, MT_TAG_USED, own, MT_TAG_SAMPLE_SOURCE,
                 (uint64_t)MT_SAMPLE_PROCESS, MT_TAG_VALUE, device, 0);
}

static void test_figures_of_the_process_tell_what_each_call_took(void **state) {
    struct script *script = script_begin(state);
    struct apis apis = define_apis(script);
    sample(script, apis.context, 0, 500 * MIB);
    sample_own(script, 500 * MIB);
    sample_beside(script, apis.stream, 502 * MIB, 1502 * MIB); // others came with 1000
    script_alloc(script, script->malloc_api, 0x4000000, 8 * MIB, 0);
    sample_beside(script, apis.load, 526 * MIB, 726 * MIB);   // others gave 800 back
    sample_beside(script, apis.stream, 518 * MIB, 718 * MIB); // and this process 8 of its code
    find(script);
    assert_int_equal(peak.in_use, 526 * MIB);
    assert_int_equal(end.in_use, 518 * MIB);
    assert_int_equal(end.others, 200 * MIB);
    assert_int_equal(end.hidden.bytes, 510 * MIB);
    assert_int_equal(end.hidden.items[1].bytes, 8 * MIB);
    assert_string_equal(end.hidden.items[1].label, "unknown: code, by cuModuleLoadData");
    assert_int_equal(end.unexplained, 0);
    close_all(script);
}

static void test_what_others_take_at_the_end_is_at_no_moment_this_processs(void **state) {
    struct script *script = script_begin(state);
    struct apis apis = define_apis(script);
    sample(script, apis.context, 0, 500 * MIB);
    sample_own(script, 500 * MIB);
    sample(script, 0, 0, 9500 * MIB);
    sample_own(script, 500 * MIB);
    find(script);
    assert_int_equal(peak.in_use, 500 * MIB);
    assert_int_equal(end.others, 9000 * MIB);
    assert_int_equal(end.unexplained, 0);
    close_all(script);
}

static void test_less_than_nothing_unexplained_is_explained(void **state) {
    struct script *script = script_begin(state);
    struct apis apis = define_apis(script);
    sample(script, apis.context, 0, 500 * MIB);
    sample_own(script, 500 * MIB);
    sample(script, apis.stream, 0, 512 * MIB); // others took 10 of it
    sample_own(script, 502 * MIB);
    char *text = script_show(script_report(script), mt_view_hidden);
    assert_non_null(strstr(
        text, "         10,485,760    10.0 MiB    2.0 %           disagreement: so much less is in use than these rows "
              "say\n"));
    assert_non_null(strstr(text,
                           "\n  10,485,760 bytes (10.0 MiB) less are in use than these rows say: what calls took was "
                           "measured for the whole\n  device, and others took memory meanwhile, or some was given back "
                           "unseen.\n"));
    free(text);
    script_close(script);
}

static void test_the_highest_moment_is_this_processs(void **state) {
    struct script *script = script_begin(state);
    struct apis apis = define_apis(script);
    sample(script, apis.context, 0, 800 * MIB);
    sample_own(script, 500 * MIB); // others have 300
    sample(script, apis.stream, 0, 802 * MIB);
    find(script);
    assert_int_equal(peak.in_use, 502 * MIB);
    assert_int_equal(peak.hidden.bytes, 502 * MIB);
    close_all(script);
}

static void test_memory_in_flight_is_taken_back(void **state) {
    struct script *script = script_begin(state);
    struct apis apis = define_apis(script);
    sample(script, apis.context, 0, 500 * MIB);
    sample(script, apis.stream, 0, 518 * MIB); // 16 of it another thread is just allocating
    script_alloc(script, script->malloc_api, 0x4000000, 16 * MIB, 0);
    sample(script, apis.load, 0, 518 * MIB);
    find(script);
    assert_int_equal(end.hidden.bytes, 502 * MIB);
    assert_int_equal(end.hidden.count, 2);
    assert_int_equal(end.unexplained, 0);
    close_all(script);
}

static void test_a_page_shared_with_allocations_stays_with_its_call(void **state) {
    struct script *script = script_begin(state);
    struct apis apis = define_apis(script);
    sample(script, apis.context, 0, 500 * MIB);
    sample(script, apis.load, 0, 502 * MIB);                     // a page of variables
    script_alloc(script, script->malloc_api, 0x4000200, 100, 0); // fits into that page
    sample(script, apis.stream, 0, 502 * MIB);                   // so it took nothing
    script_free(script, script->free_api, 0x4000200, 0);
    sample(script, 0, 0, 502 * MIB);
    find(script);
    assert_int_equal(peak.in_use, 504 * MIB);
    assert_int_equal(end.hidden.bytes, 502 * MIB);
    assert_int_equal(end.unexplained, 0);
    close_all(script);
}

static void test_a_context_ends_with_its_hidden_memory(void **state) {
    struct script *script = script_begin(state);
    struct apis apis = define_apis(script);
    script_event(script, MT_EFFECT_CONTEXT_CREATED, apis.context, 0, MT_TAG_CONTEXT, (uint64_t)1, 0);
    sample(script, apis.context, 0, 500 * MIB);
    sample(script, apis.stream, 0, 502 * MIB);
    script_alloc(script, script->malloc_api, 0x4000000, 2 * MIB, 0);
    script_event(script, MT_EFFECT_CONTEXT_ENDED, 0, 0, MT_TAG_CONTEXT, (uint64_t)1, 0);
    find(script);
    assert_int_equal(peak.in_use, 504 * MIB);
    assert_int_equal(end.in_use, 0);
    assert_int_equal(end.hidden.count, 0);
    close_all(script);
}

static void test_what_allocators_hold_is_one_row_and_what_they_hand_out_is_told(void **state) {
    struct script *script = script_begin(state);
    struct apis apis = define_apis(script);
    uint32_t tensor = mt_define_api(script->trace, "tensor", MT_EFFECT_ALLOCATED, MT_MEMORY_TENSOR);
    sample(script, apis.context, 0, 500 * MIB);
    script_alloc(script, script->malloc_api, 0x4000000, 20 * MIB, 0);
    script_alloc(script, tensor, 0x4000000, 512, 0);
    script_alloc(script, script->async_api, 0x302000000, 10 * MIB, 0);
    script_event(script, MT_EFFECT_POOL_SAMPLED, 0, 0, MT_TAG_POOL, (uint64_t)7, MT_TAG_POOL_RESERVED, 32 * MIB, 0);
    find(script);
    assert_int_equal(end.segments.bytes, 20 * MIB);
    assert_int_equal(end.segments.handed_out, 512);
    assert_int_equal(end.pools.bytes, 32 * MIB);
    assert_int_equal(end.pools.handed_out, 10 * MIB);
    assert_int_equal(end.allocations.count, 0);
    assert_int_equal(end.traced, 52 * MIB);
    assert_int_equal(end.in_use, 552 * MIB);
    close_all(script);
}

static void test_of_moments_with_as_much_in_use_the_fullest_counts(void **state) {
    struct script *script = script_begin(state);
    struct apis apis = define_apis(script);
    uint32_t tensor = mt_define_api(script->trace, "tensor", MT_EFFECT_ALLOCATED, MT_MEMORY_TENSOR);
    sample(script, apis.context, 0, 500 * MIB);
    script_alloc(script, script->malloc_api, 0x4000000, 20 * MIB, 0); // before any of it is handed out
    script_alloc(script, tensor, 0x4000000, 12 * MIB, 0);
    script_alloc(script, tensor, 0x4c00000, 8 * MIB, 0);
    script_free(script, mt_define_api(script->trace, "tensor", MT_EFFECT_FREED, MT_MEMORY_TENSOR), 0x4c00000, 0);
    find(script);
    assert_int_equal(peak.in_use, 520 * MIB);
    assert_int_equal(peak.segments.handed_out, 20 * MIB);
    assert_int_equal(peak.segments.blocks, 2);
    close_all(script);
}

static uint32_t define_managed(struct script *script) {
    return mt_define_api(script->trace, "cuMemAllocManaged", MT_EFFECT_ALLOCATED, MT_MEMORY_MANAGED);
}

// Nothing tells what a kernel's touch moved. What is found is taken for it, but no more than there is.
static void test_managed_memory_may_be_on_the_device(void **state) {
    struct script *script = script_begin(state);
    struct apis apis = define_apis(script);
    uint32_t stack = script_stack(script, "make t.py:3", NULL), stream = script_stack(script, "run t.py:5", NULL);
    sample(script, apis.context, 0, 500 * MIB);
    script_alloc(script, define_managed(script), 0x4000000, 8 * MIB, stack);
    sample(script, apis.stream, stream, 510 * MIB); // a kernel touched it
    char *text = script_show(script_report(script), mt_view_hidden);
    assert_non_null(strstr(text,
                           "          8,388,608    8.00 MiB    1.6 %        1  t.py:3 make: cuMemAllocManaged: moved "
                           "here, or a call took it meanwhile\n"
                           "          2,097,152    2.00 MiB    0.4 %        1  t.py:5 run: cuStreamCreate\n"));
    assert_non_null(strstr(text,
                           "\n  8,388,608 bytes (8.00 MiB) of managed memory were live. What a prefetch moved here "
                           "is among the allocations."));
    free(text);
    script_close(script);
}

static void migrate(struct script *script, uint64_t address, uint64_t bytes, bool here) {
    script_event(script, MT_EFFECT_MIGRATED, 0, 0, MT_TAG_ADDRESS, address, MT_TAG_BYTES, bytes,
                 here ? MT_TAG_DEVICE : 0, (uint64_t)0, 0);
}

static void test_a_prefetch_moves_managed_memory(void **state) {
    struct script *script = script_begin(state);
    struct apis apis = define_apis(script);
    const uint64_t address = 64 * MIB;
    sample(script, apis.context, 0, 500 * MIB);
    script_alloc(script, define_managed(script), address, 40 * MIB, 0);
    migrate(script, address, 100 * MIB, true);            // more than there is
    sample(script, apis.stream, 0, 542 * MIB);            // 2 MiB are the stream's
    migrate(script, address + 10 * MIB, 10 * MIB, false); // out of the middle
    sample(script, apis.stream, 0, 532 * MIB);
    find(script);
    assert_int_equal(peak.in_use, 542 * MIB);
    assert_int_equal(peak.traced, 40 * MIB);
    assert_int_equal(end.traced, 30 * MIB);
    assert_int_equal(end.hidden.bytes, 502 * MIB);
    assert_int_equal(end.unexplained, 0);
    close_all(script);
}

static void test_managed_memory_goes_when_it_is_freed(void **state) {
    struct script *script = script_begin(state);
    struct apis apis = define_apis(script);
    sample(script, apis.context, 0, 500 * MIB);
    script_alloc(script, define_managed(script), 64 * MIB, 40 * MIB, 0);
    migrate(script, 64 * MIB, 40 * MIB, true);
    sample(script, apis.stream, 0, 520 * MIB); // only half of it did move
    script_free(script, script->free_api, 64 * MIB, 0);
    migrate(script, 64 * MIB, 40 * MIB, true); // of no managed memory
    sample(script, 0, 0, 500 * MIB);
    find(script);
    assert_int_equal(end.traced, 0);
    assert_int_equal(end.hidden.bytes, 500 * MIB);
    assert_int_equal(end.unexplained, 0);
    close_all(script);
}

static void test_without_a_measurement_only_allocations_are_known(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x4000000, 20 * MIB, 0);
    char *text = script_show(script_report(script), mt_view_hidden);
    assert_non_null(strstr(text, "  Never measured: the context, code and the like are not in these figures.\n"));
    free(text);
    script_close(script);
}

// Random, and the same in each run.
static uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

// One event of a trace that makes no sense: addresses and pools come back, ends are missing, figures jump.
static void write_anything(struct script *script, const struct apis *apis, uint64_t *seed) {
    uint64_t address = 0x1000000 + next_random(seed) % 24 * (MIB / 2), bytes = 1 + next_random(seed) % (3 * MIB);
    uint64_t pool = 0xa0 + next_random(seed) % 3;
    uint32_t tensor = mt_define_api(script->trace, "torch alloc", MT_EFFECT_ALLOCATED, MT_MEMORY_TENSOR);
    uint32_t managed = mt_define_api(script->trace, "cuMemAllocManaged", MT_EFFECT_ALLOCATED, MT_MEMORY_MANAGED);
    script->thread = (unsigned)(next_random(seed) % 3);
    switch (next_random(seed) % 12) {
    case 0:
        script_alloc(script, script->malloc_api, address, bytes, 0);
        break;
    case 1:
        script_alloc(script, script->async_api, address, bytes, 0);
        break;
    case 2:
        script_event(script, MT_EFFECT_ALLOCATED, script->async_api, 0, MT_TAG_ADDRESS, address, MT_TAG_BYTES, bytes,
                     MT_TAG_POOL, pool, 0);
        break;
    case 3:
    case 4:
        script_free(script, script->free_api, address, 0);
        break;
    case 5:
        script_event(script, MT_EFFECT_POOL_SAMPLED, script->async_api, 0, MT_TAG_POOL, pool, MT_TAG_POOL_RESERVED,
                     bytes * 2, MT_TAG_DEVICE, (uint64_t)0, 0);
        break;
    case 6:
        script_event(script, next_random(seed) % 2 ? MT_EFFECT_POOL_DESTROYED : MT_EFFECT_POOL_CURRENT, 0, 0,
                     MT_TAG_POOL, pool, MT_TAG_DEVICE, (uint64_t)0, 0);
        break;
    case 7:
        script_alloc(script, tensor, address, bytes, 0);
        break;
    case 8:
        script_alloc(script, managed, address + 64 * MIB, bytes * 8, 0);
        break;
    case 9:
        script_event(script, MT_EFFECT_MIGRATED, 0, 0, MT_TAG_ADDRESS, address + 64 * MIB, MT_TAG_BYTES, bytes * 4,
                     next_random(seed) % 3 ? MT_TAG_DEVICE : 0, (uint64_t)0, 0);
        break;
    default:
        sample(script, next_random(seed) % 2 ? apis->stream : 0, 0, 100 * MIB + next_random(seed) % (40 * MIB));
        break;
    }
}

// Whether a line begins with a figure below zero.
static bool has_negative(const char *text) {
    for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        at += strspn(at, " ");
        if (at[0] == '-' && at[1] >= '0' && at[1] <= '9') return true;
    }
    return false;
}

static void test_no_figure_is_negative_whatever_the_trace_holds(void **state) {
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct script *script = script_begin(state);
        struct apis apis = define_apis(script);
        uint64_t random = seed * 0x9e3779b97f4a7c15u;
        sample(script, apis.context, 0, 100 * MIB);
        for (int i = 0; i < 200; i++) write_anything(script, &apis, &random);
        struct mt_report *report = script_report(script);
        char *hidden = script_show(report, mt_view_hidden), *pools = script_show(report, mt_view_pools);
        if (has_negative(hidden) || has_negative(pools)) fail_msg("seed %d:\n%s%s", (int)seed, hidden, pools);
        mt_hidden_find(report, 0, &peak, &end);
        assert_int_equal((int64_t)(end.traced + end.hidden.bytes) + end.unexplained, end.in_use);
        assert_int_equal((int64_t)(peak.traced + peak.hidden.bytes) + peak.unexplained, peak.in_use);
        assert_true(end.in_use >= 0);
        free(hidden);
        free(pools);
        close_all(script);
        char *path = path_in(state, "trace.bin");
        unlink(path);
        free(path);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_a_report_adds_up),
        TEST(test_the_highest_moment_is_not_the_end),
        TEST(test_calls_of_one_site_and_cause_are_one_row),
        TEST(test_what_was_in_use_before_is_the_others),
        TEST(test_figures_of_the_process_tell_others_and_what_is_unexplained),
        TEST(test_figures_of_the_process_tell_what_each_call_took),
        TEST(test_what_others_take_at_the_end_is_at_no_moment_this_processs),
        TEST(test_less_than_nothing_unexplained_is_explained),
        TEST(test_no_figure_is_negative_whatever_the_trace_holds),
        TEST(test_the_highest_moment_is_this_processs),
        TEST(test_memory_in_flight_is_taken_back),
        TEST(test_a_page_shared_with_allocations_stays_with_its_call),
        TEST(test_a_context_ends_with_its_hidden_memory),
        TEST(test_what_allocators_hold_is_one_row_and_what_they_hand_out_is_told),
        TEST(test_of_moments_with_as_much_in_use_the_fullest_counts),
        TEST(test_managed_memory_may_be_on_the_device),
        TEST(test_a_prefetch_moves_managed_memory),
        TEST(test_managed_memory_goes_when_it_is_freed),
        TEST(test_without_a_measurement_only_allocations_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
