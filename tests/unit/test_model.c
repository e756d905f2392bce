/*
 * The model: live set, ledgers and peaks, from traces written event by event.
 */
#include <unistd.h>

#include "tests/unit/scripts.h"

static const struct mt_device_ledgers *device(const struct mt_report *report, uint32_t ordinal) {
    return mt_ledgers_device(mt_model_ledgers(report->end), ordinal);
}

static uint32_t accounts_of(const struct mt_report *report) {
    uint32_t count;
    free(mt_report_accounts(report, &count));
    return count;
}

static void test_nothing_happened_nothing_is_live(void **state) {
    struct script *script = script_begin(state);
    struct mt_report *report = script_report(script);
    assert_int_equal(report->survey.events, 0);
    assert_int_equal(accounts_of(report), 0);
    assert_int_equal(device(report, 0)->used.peak_bytes, 0);
    script_close(script);
}

static void test_peak_is_where_most_was_live(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x1000, 100, 0);
    script_alloc(script, script->malloc_api, 0x2000, 50, 0);
    script_free(script, script->free_api, 0x1000, 0);
    script_alloc(script, script->malloc_api, 0x3000, 100, 0); // 150 again: the first time counts
    struct mt_report *report = script_report(script);
    assert_int_equal(device(report, 0)->used.bytes, 150);
    assert_int_equal(device(report, 0)->used.count, 2);
    assert_int_equal(device(report, 0)->used.peak_bytes, 150);
    assert_int_equal(device(report, 0)->used.peak_index, 1);
    assert_int_equal(device(report, 0)->used.allocated_bytes, 250);
    script_close(script);
}

static void test_an_address_is_used_again(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x1000, 100, 0);
    script_free(script, script->free_api, 0x1000, 0);
    script_alloc(script, script->malloc_api, 0x1000, 7, 0);
    struct mt_report *report = script_report(script);
    assert_int_equal(device(report, 0)->used.bytes, 7);
    assert_int_equal(report->survey.unknown_frees, 0);
    assert_int_equal(report->survey.unseen_ends, 0);
    script_close(script);
}

static void test_a_free_on_another_thread_comes_before_the_next_allocation(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x1000, 100, 0);
    script->thread = 1;
    script_free(script, script->free_api, 0x1000, 0); // in another stream of the file
    script->thread = 0;
    script_alloc(script, script->malloc_api, 0x1000, 40, 0);
    script->thread = 1;
    script_free(script, script->free_api, 0x1000, 0);
    struct mt_report *report = script_report(script);
    assert_int_equal(device(report, 0)->used.bytes, 0);
    assert_int_equal(device(report, 0)->used.peak_bytes, 100);
    assert_int_equal(report->survey.unknown_frees, 0);
    script_close(script);
}

static void test_a_free_that_was_not_seen_is_counted_and_ends_the_old_allocation(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x1000, 100, 0);
    script_alloc(script, script->malloc_api, 0x1000, 40, 0);
    script_free(script, script->free_api, 0x9000, 0);
    struct mt_report *report = script_report(script);
    assert_int_equal(device(report, 0)->used.bytes, 40);
    assert_int_equal(report->survey.unseen_ends, 1);
    assert_int_equal(report->survey.unknown_frees, 1);
    script_close(script);
}

static void test_a_failed_allocation_is_none(void **state) {
    struct script *script = script_begin(state);
    script_event(script, MT_EFFECT_FAILED, script->malloc_api, 0, MT_TAG_RESULT, (uint64_t)2, MT_TAG_BYTES,
                 (uint64_t)1 << 45, 0);
    struct mt_report *report = script_report(script);
    assert_int_equal(device(report, 0)->used.allocations, 0);
    assert_int_equal(report->survey.effects[MT_EFFECT_FAILED], 1);
    script_close(script);
}

static void test_two_devices_have_two_ledgers(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x1000, 100, 0);
    script->context = 2;
    script_alloc(script, script->malloc_api, 0x2000, 30, 0);
    script->context = 1; // freed from elsewhere: the memory's own device counts
    script_free(script, script->free_api, 0x2000, 0);
    struct mt_report *report = script_report(script);
    assert_int_equal(device(report, 0)->used.bytes, 100);
    assert_int_equal(device(report, 1)->used.bytes, 0);
    assert_int_equal(device(report, 1)->used.peak_bytes, 30);
    assert_int_equal(accounts_of(report), 2);
    script_close(script);
}

static void test_host_memory_is_not_mixed_in(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->pinned_api, 0x5000, 4096, 0);
    script_alloc(script, script->malloc_api, 0x1000, 100, 0);
    struct mt_report *report = script_report(script);
    assert_int_equal(device(report, 0)->used.bytes, 100);
    assert_int_equal(mt_model_ledgers(report->end)->host.bytes, 4096);
    script_close(script);
}

static void test_a_context_ends_with_its_memory(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x1000, 100, 0);
    script->context = 2;
    script_alloc(script, script->malloc_api, 0x2000, 30, 0);
    script_event(script, MT_EFFECT_CONTEXT_ENDED, 0, 0, MT_TAG_CONTEXT, (uint64_t)1, 0);
    struct mt_report *report = script_report(script);
    assert_int_equal(device(report, 0)->used.bytes, 0);
    assert_int_equal(device(report, 1)->used.bytes, 30);
    assert_int_equal(report->survey.implied_frees, 1);
    script_close(script);
}

static void test_device_memory_is_the_last_sample_and_what_changed_since(void **state) {
    struct script *script = script_begin(state);
    script_event(script, MT_EFFECT_SAMPLED, 0, 0, MT_TAG_DEVICE, (uint64_t)0, MT_TAG_USED, 500 * MIB, 0);
    script_alloc(script, script->malloc_api, 0x4000000, 10 * MIB, 0);
    script_event(script, MT_EFFECT_SAMPLED, 0, 0, MT_TAG_DEVICE, (uint64_t)0, MT_TAG_USED, 600 * MIB, 0);
    script_alloc(script, script->malloc_api, 0x2000000, 4 * MIB, 0);
    script_free(script, script->free_api, 0x4000000, 0);
    struct mt_report *report = script_report(script);
    assert_int_equal(mt_ledgers_in_use(mt_model_ledgers(report->end), 0), (600 + 4 - 10) * MIB);
    assert_int_equal(device(report, 0)->in_use_peak, 604 * MIB);
    script_close(script);
}

static void sample(struct script *script, enum mt_sample_source source, uint32_t api, uint64_t used) {
    script_event(script, MT_EFFECT_SAMPLED, api, 0, MT_TAG_DEVICE, (uint64_t)0, MT_TAG_USED, used, MT_TAG_SAMPLE_SOURCE,
                 (uint64_t)source, 0);
}

static void test_figures_of_the_device_tell_what_this_process_took_since_its_own(void **state) {
    struct script *script = script_begin(state);
    uint32_t launch = mt_define_api(script->trace, "cuLaunchKernel", MT_EFFECT_LAUNCHED, MT_MEMORY_NONE);
    sample(script, MT_SAMPLE_DEVICE, launch, 800 * MIB);
    sample(script, MT_SAMPLE_PROCESS, 0, 500 * MIB); // others have 300
    script_alloc(script, script->malloc_api, 0x4000000, 8 * MIB, 0);
    sample(script, MT_SAMPLE_DEVICE, launch, 898 * MIB); // 90 for a kernel's code
    script_free(script, script->free_api, 0x4000000, 0);
    sample(script, MT_SAMPLE_DEVICE, 0, 1890 * MIB); // no call's doing: others took 1000
    struct mt_report *report = script_report(script);
    assert_int_equal(device(report, 0)->in_use_peak, 598 * MIB);
    assert_int_equal(mt_ledgers_in_use(mt_model_ledgers(report->end), 0), 590 * MIB);
    script_close(script);
}

static void test_a_figure_of_the_process_may_tell_the_devices_too(void **state) {
    struct script *script = script_begin(state);
    uint32_t stream = mt_define_api(script->trace, "cuStreamCreate", MT_EFFECT_SAMPLED, MT_MEMORY_NONE);
    sample(script, MT_SAMPLE_DEVICE, stream, 500 * MIB);
    sample(script, MT_SAMPLE_PROCESS, stream, 500 * MIB);
    script_event(script, MT_EFFECT_SAMPLED, stream, 0, MT_TAG_DEVICE, (uint64_t)0, MT_TAG_USED, 502 * MIB,
                 MT_TAG_SAMPLE_SOURCE, (uint64_t)MT_SAMPLE_PROCESS, MT_TAG_VALUE, 1502 * MIB, 0);
    sample(script, MT_SAMPLE_DEVICE, stream, 1506 * MIB);
    struct mt_report *report = script_report(script);
    assert_int_equal(device(report, 0)->sample_others, 1000 * MIB);
    assert_int_equal(device(report, 0)->in_use_peak, 506 * MIB);
    script_close(script);
}

static void test_device_memory_is_taken_in_pages_that_small_allocations_share(void **state) {
    struct script *script = script_begin(state);
    script_event(script, MT_EFFECT_SAMPLED, 0, 0, MT_TAG_DEVICE, (uint64_t)0, MT_TAG_USED, 500 * MIB, 0);
    script_alloc(script, script->malloc_api, 0x4000000, 100, 0);     // takes a page of 2 MiB
    script_alloc(script, script->malloc_api, 0x4000200, MIB, 0);     // in the same page
    script_alloc(script, script->malloc_api, 0x4200000, 3 * MIB, 0); // two of its own
    script_event(script, MT_EFFECT_ALLOCATED, script->create_api, 0, MT_TAG_OBJECT, (uint64_t)9, MT_TAG_BYTES, MIB, 0);
    script_free(script, script->free_api, 0x4000000, 0); // the page still holds a MiB
    struct mt_report *report = script_report(script);
    assert_int_equal(mt_ledgers_taken(mt_model_ledgers(report->end), 0), (2 + 4 + 2) * MIB);
    assert_int_equal(mt_ledgers_in_use(mt_model_ledgers(report->end), 0), (500 + 2 + 4 + 2) * MIB);
    assert_int_equal(device(report, 0)->ledgers[MT_LEDGER_PHYSICAL].bytes, 5 * MIB);
    script_close(script);
}

static void test_with_the_last_context_nothing_is_in_use(void **state) {
    struct script *script = script_begin(state);
    for (int i = 0; i < 2; i++) script_event(script, MT_EFFECT_CONTEXT_CREATED, 0, 0, MT_TAG_CONTEXT, (uint64_t)1, 0);
    script_event(script, MT_EFFECT_SAMPLED, 0, 0, MT_TAG_DEVICE, (uint64_t)0, MT_TAG_USED, 500 * MIB, 0);
    script_event(script, MT_EFFECT_CONTEXT_ENDED, 0, 0, MT_TAG_CONTEXT, (uint64_t)0, 0); // a green one
    script_event(script, MT_EFFECT_CONTEXT_ENDED, 0, 0, MT_TAG_CONTEXT, (uint64_t)1, 0);
    script_alloc(script, script->malloc_api, 0x4000000, 2 * MIB, 0);
    script_event(script, MT_EFFECT_DEVICE_RESET, 0, 0, MT_TAG_DEVICE, (uint64_t)0, 0);
    struct mt_report *report = script_report(script);
    assert_int_equal(device(report, 0)->in_use_peak, 502 * MIB);
    assert_int_equal(mt_ledgers_in_use(mt_model_ledgers(report->end), 0), 0);
    script_close(script);
}

static void test_a_reset_device_has_no_pools(void **state) {
    struct script *script = script_begin(state);
    script_event(script, MT_EFFECT_POOL_SAMPLED, 0, 0, MT_TAG_POOL, (uint64_t)7, MT_TAG_POOL_RESERVED, 32 * MIB, 0);
    script_event(script, MT_EFFECT_DEVICE_RESET, 0, 0, MT_TAG_DEVICE, (uint64_t)0, 0);
    struct mt_report *report = script_report(script);
    assert_int_equal(mt_ledgers_taken(mt_model_ledgers(report->end), 0), 0);
    script_close(script);
}

static void test_a_pool_reserves_more_than_it_hands_out(void **state) {
    struct script *script = script_begin(state);
    script_event(script, MT_EFFECT_POOL_SAMPLED, 0, 0, MT_TAG_POOL, (uint64_t)7, MT_TAG_POOL_RESERVED, 32 * MIB, 0);
    script_alloc(script, script->async_api, 0x1000, 10 * MIB, 0);
    struct mt_report *report = script_report(script);
    assert_int_equal(device(report, 0)->used.bytes, 10 * MIB);
    assert_int_equal(device(report, 0)->ledgers[MT_LEDGER_PHYSICAL].bytes, 0);
    assert_int_equal(mt_ledgers_in_use(mt_model_ledgers(report->end), 0), 32 * MIB);
    script_close(script);
}

static void alloc_from(struct script *script, uint64_t pool, uint64_t address, uint64_t bytes) {
    script_event(script, MT_EFFECT_ALLOCATED, script->async_api, 0, MT_TAG_ADDRESS, address, MT_TAG_BYTES, bytes,
                 MT_TAG_POOL, pool, 0);
}

static void sample_pool(struct script *script, uint64_t pool, uint64_t reserved) {
    script_event(script, MT_EFFECT_POOL_SAMPLED, script->async_api, 0, MT_TAG_POOL, pool, MT_TAG_POOL_RESERVED,
                 reserved, 0);
}

static void destroy_pool(struct script *script, uint64_t pool) {
    script_event(script, MT_EFFECT_POOL_DESTROYED, 0, 0, MT_TAG_POOL, pool, 0);
}

static uint64_t in_use(struct script *script) {
    return mt_ledgers_in_use(mt_model_ledgers(script_report(script)->end), 0);
}

static void test_a_destroyed_pool_keeps_its_memory_until_its_last_block_is_freed(void **state) {
    static const uint64_t expected[] = {96 * MIB, 96 * MIB, 32 * MIB};
    for (int freed = 0; freed < 3; freed++) {
        struct script *script = script_begin(state);
        alloc_from(script, 7, 0x1000000, 10 * MIB);
        alloc_from(script, 7, 0x2000000, 20 * MIB);
        sample_pool(script, 7, 64 * MIB);
        destroy_pool(script, 7);
        alloc_from(script, 7, 0x4000000, 5 * MIB); // of a new pool that got the same handle
        sample_pool(script, 7, 32 * MIB);
        if (freed > 0) script_free(script, script->free_api, 0x1000000, 0);
        if (freed > 1) script_free(script, script->free_api, 0x2000000, 0);
        assert_int_equal(in_use(script), expected[freed]);
        script_close(script);
        char *path = path_in(state, "trace.bin");
        unlink(path);
        free(path);
    }
}

// Blocks that name no pool lie in the device's current one, which a sample tells after the first of them, or a call.
static void test_a_current_pool_may_be_destroyed_too(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->async_api, 0x1000000, 10 * MIB, 0);
    sample_pool(script, 7, 32 * MIB);
    script_event(script, MT_EFFECT_POOL_CURRENT, 0, 0, MT_TAG_POOL, (uint64_t)8, MT_TAG_DEVICE, (uint64_t)0, 0);
    script_alloc(script, script->async_api, 0x2000000, 20 * MIB, 0);
    sample_pool(script, 8, 64 * MIB);
    script_alloc(script, script->async_api, 0x4000000, 20 * MIB, 0);
    destroy_pool(script, 8);
    script_free(script, script->free_api, 0x2000000, 0);
    script_free(script, script->free_api, 0x1000000, 0);
    sample_pool(script, 7, 0);
    assert_int_equal(in_use(script), 64 * MIB);
    script_close(script);
}

static void test_a_pool_holds_at_least_its_blocks(void **state) {
    struct script *script = script_begin(state);
    alloc_from(script, 7, 0x1000000, 10 * MIB);
    sample_pool(script, 7, 32 * MIB);
    alloc_from(script, 8, 0x4000000, 40 * MIB); // never sampled
    assert_int_equal(in_use(script), 72 * MIB);
    script_close(script);
}

static void test_tensors_count_instead_of_their_segment(void **state) {
    struct script *script = script_begin(state);
    uint32_t tensor = mt_define_api(script->trace, "tensor", MT_EFFECT_ALLOCATED, MT_MEMORY_TENSOR);
    uint32_t tensor_end = mt_define_api(script->trace, "tensor free", MT_EFFECT_FREED, MT_MEMORY_TENSOR);
    script_alloc(script, script->malloc_api, 0x10000000, 20 * MIB, 0); // the segment
    script_alloc(script, tensor, 0x10000000, 512, 0);
    script_alloc(script, tensor, 0x10000200, 4096, 0);
    script_free(script, tensor_end, 0x10000000, 0);
    script_alloc(script, script->malloc_api, 0x20000000, 3 * MIB, 0); // the program's own
    struct mt_report *report = script_report(script);
    const struct mt_device_ledgers *ledgers = device(report, 0);
    assert_int_equal(ledgers->used.bytes, 3 * MIB + 4096);
    assert_int_equal(ledgers->used.peak_bytes, 3 * MIB + 4096); // 20 MiB were never used
    assert_int_equal(ledgers->ledgers[MT_LEDGER_PHYSICAL].bytes, 23 * MIB);
    assert_int_equal(ledgers->ledgers[MT_LEDGER_ALLOCATOR].bytes, 4096);
    script_close(script);
}

static void test_virtual_memory_lives_until_its_last_reference_and_mapping(void **state) {
    struct script *script = script_begin(state);
    const uint64_t handle = 0xabc, address = 0x70000000;
    script_event(script, MT_EFFECT_ALLOCATED, script->create_api, 0, MT_TAG_OBJECT, handle, MT_TAG_BYTES, 8 * MIB, 0);
    script_event(script, MT_EFFECT_MAPPED, script->map_api, 0, MT_TAG_ADDRESS, address, MT_TAG_BYTES, 8 * MIB,
                 MT_TAG_OBJECT, handle, 0);
    script_event(script, MT_EFFECT_RELEASED, script->release_api, 0, MT_TAG_OBJECT, handle, 0);
    script_alloc(script, script->malloc_api, 0x1000, 1, 0); // the peak shows that both were live
    script_event(script, MT_EFFECT_UNMAPPED, script->unmap_api, 0, MT_TAG_ADDRESS, address, MT_TAG_BYTES, 8 * MIB, 0);
    struct mt_report *report = script_report(script);
    assert_int_equal(device(report, 0)->used.peak_bytes, 8 * MIB + 1);
    assert_int_equal(device(report, 0)->used.bytes, 1);
    script_close(script);
}

static void test_an_allocators_mapped_range_counts_as_its_segments(void **state) {
    struct script *script = script_begin(state);
    uint32_t tensor = mt_define_api(script->trace, "tensor", MT_EFFECT_ALLOCATED, MT_MEMORY_TENSOR);
    const uint64_t base = 0x70000000;
    script_event(script, MT_EFFECT_RESERVED, script->reserve_api, 0, MT_TAG_ADDRESS, base, MT_TAG_BYTES, 64 * MIB, 0);
    for (uint64_t i = 0; i < 3; i++) {
        script_event(script, MT_EFFECT_ALLOCATED, script->create_api, 0, MT_TAG_OBJECT, 100 + i, MT_TAG_BYTES, 2 * MIB,
                     0);
        script_event(script, MT_EFFECT_MAPPED, script->map_api, 0, MT_TAG_ADDRESS, base + i * 2 * MIB, MT_TAG_BYTES,
                     2 * MIB, MT_TAG_OBJECT, 100 + i, 0);
    }
    script_alloc(script, tensor, base + MIB, 2 * MIB, 0); // across the first two; the third is its cache
    struct mt_report *report = script_report(script);
    assert_int_equal(device(report, 0)->used.bytes, 2 * MIB);
    assert_int_equal(device(report, 0)->used.peak_bytes, 2 * MIB);
    assert_int_equal(device(report, 0)->ledgers[MT_LEDGER_PHYSICAL].bytes, 6 * MIB);
    script_close(script);
}

static void graph_step(struct script *script, enum mt_graph_step step, uint64_t graph, uint64_t source) {
    script_event(script, MT_EFFECT_GRAPH, 0, 0, MT_TAG_ATTRIBUTE, (uint64_t)step, MT_TAG_GRAPH, graph, MT_TAG_VALUE,
                 source, 0);
}

static void add_node(struct script *script, uint64_t graph, uint64_t address, uint64_t bytes) {
    script_event(script, MT_EFFECT_CAPTURED, script->async_api, 0, MT_TAG_ADDRESS, address, MT_TAG_GRAPH, graph,
                 bytes ? MT_TAG_BYTES : 0, bytes, 0);
}

static int count_graph_block(void *user, const struct mt_live *live) {
    if (live->memory == MT_MEMORY_GRAPH && live->key.space == MT_SPACE_ADDRESS) ++*(int *)user;
    return 0;
}

// Graph 0x10 allocates 0x1000 and 0x2000, and frees the second; 0x20, its child once, allocates 0x3000; 0x30 frees it.
static void test_a_launched_graph_leaves_what_it_does_not_free(void **state) {
    struct script *script = script_begin(state);
    add_node(script, 0x20, 0x3000, 300);
    add_node(script, 0x10, 0x1000, 100);
    add_node(script, 0x10, 0x2000, 200);
    add_node(script, 0x10, 0x2000, 0);
    script_event(script, MT_EFFECT_CAPTURED, 0, 0, MT_TAG_GRAPH, (uint64_t)0x10, MT_TAG_OBJECT, (uint64_t)0x20, 0);
    add_node(script, 0x30, 0x3000, 0);
    graph_step(script, MT_GRAPH_INSTANTIATED, 0x11, 0x10);
    graph_step(script, MT_GRAPH_INSTANTIATED, 0x31, 0x30);
    graph_step(script, MT_GRAPH_DESTROYED, 0x10, 0);
    graph_step(script, MT_GRAPH_LAUNCHED, 0x11, 0);
    graph_step(script, MT_GRAPH_LAUNCHED, 0x11, 0); // frees what the launch before left
    graph_step(script, MT_GRAPH_LAUNCHED, 0x31, 0);
    script_free(script, script->free_api, 0x1000, 0);
    graph_step(script, MT_GRAPH_LAUNCHED, 0x11, 0);
    script_free(script, script->free_api, 0x3000, 0);
    struct mt_report *report = script_report(script);
    int count = 0;
    mt_model_each_live(report->end, count_graph_block, &count);
    assert_int_equal(count, 1);
    assert_non_null(mt_model_find(report->end, MT_SPACE_ADDRESS, 0x1000));
    assert_int_equal(device(report, 0)->used.bytes, 0); // they lie in what graphs share
    assert_int_equal(report->survey.unknown_frees, 0);
    assert_int_equal(report->survey.unseen_ends, 0);
    script_close(script);
}

// Of what was captured by an older tracer nothing tells the graph; the address is known all the same.
static void test_a_captured_address_is_known_without_its_graph(void **state) {
    struct script *script = script_begin(state);
    script_event(script, MT_EFFECT_CAPTURED, script->async_api, 0, MT_TAG_ADDRESS, (uint64_t)0x1000, MT_TAG_BYTES,
                 (uint64_t)100, 0);
    script_free(script, script->free_api, 0x1000, 0);
    script_alloc(script, script->malloc_api, 0x1000, 40, 0); // the address is somebody else's now
    script_free(script, script->free_api, 0x1000, 0);
    script_free(script, script->free_api, 0x1000, 0);
    struct mt_report *report = script_report(script);
    assert_int_equal(report->survey.unknown_frees, 1);
    script_close(script);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_nothing_happened_nothing_is_live),
        TEST(test_peak_is_where_most_was_live),
        TEST(test_an_address_is_used_again),
        TEST(test_a_free_on_another_thread_comes_before_the_next_allocation),
        TEST(test_a_free_that_was_not_seen_is_counted_and_ends_the_old_allocation),
        TEST(test_a_failed_allocation_is_none),
        TEST(test_a_launched_graph_leaves_what_it_does_not_free),
        TEST(test_a_captured_address_is_known_without_its_graph),
        TEST(test_two_devices_have_two_ledgers),
        TEST(test_host_memory_is_not_mixed_in),
        TEST(test_a_context_ends_with_its_memory),
        TEST(test_device_memory_is_the_last_sample_and_what_changed_since),
        TEST(test_figures_of_the_device_tell_what_this_process_took_since_its_own),
        TEST(test_a_figure_of_the_process_may_tell_the_devices_too),
        TEST(test_device_memory_is_taken_in_pages_that_small_allocations_share),
        TEST(test_a_reset_device_has_no_pools),
        TEST(test_with_the_last_context_nothing_is_in_use),
        TEST(test_a_pool_reserves_more_than_it_hands_out),
        TEST(test_a_destroyed_pool_keeps_its_memory_until_its_last_block_is_freed),
        TEST(test_a_current_pool_may_be_destroyed_too),
        TEST(test_a_pool_holds_at_least_its_blocks),
        TEST(test_tensors_count_instead_of_their_segment),
        TEST(test_virtual_memory_lives_until_its_last_reference_and_mapping),
        TEST(test_an_allocators_mapped_range_counts_as_its_segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
