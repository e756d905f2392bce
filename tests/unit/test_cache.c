/*
 * What a framework's caching allocator holds: in tensors, in holes beside them, in segments without one.
 */
#include "tests/unit/scripts.h"
#include "viewer/analysis/cache.h"
#include "viewer/views/views.h"

static struct script *begin(void **state) {
    struct script *script = script_begin(state);
    script->tensor_api = mt_define_api(script->trace, "torch malloc", MT_EFFECT_ALLOCATED, MT_MEMORY_TENSOR);
    script->tensor_free_api = mt_define_api(script->trace, "torch free", MT_EFFECT_FREED, MT_MEMORY_TENSOR);
    return script;
}

// A segment of 20 MiB, of which 4 and 2 are used; another one beside it, for 12, which are freed.
static struct script *two_segments(void **state) {
    struct script *script = begin(state);
    uint32_t grow = script_stack(script, "grow t.py:7", NULL);
    script_alloc(script, script->malloc_api, 100 * MIB, 20 * MIB, 0);
    script_alloc(script, script->tensor_api, 100 * MIB, 4 * MIB, 0);
    script_alloc(script, script->tensor_api, 110 * MIB, 2 * MIB, 0);
    script_alloc(script, script->malloc_api, 120 * MIB, 20 * MIB, grow);
    script_alloc(script, script->tensor_api, 120 * MIB, 12 * MIB, grow);
    script_free(script, script->tensor_free_api, 120 * MIB, grow);
    return script;
}

static void expect_state(const struct mt_cache_state *state, uint64_t segments, uint64_t blocks, uint64_t holes,
                         uint64_t free_segments) {
    assert_int_equal(state->segments, segments);
    assert_int_equal(state->blocks, blocks);
    assert_int_equal(state->holes, holes);
    assert_int_equal(state->free_segments, free_segments);
    assert_int_equal(state->handed_out + state->hole_bytes + state->free_bytes, state->reserved);
}

static void test_what_is_free_is_in_holes_or_in_whole_segments(void **state) {
    struct script *script = two_segments(state);
    struct mt_caches caches;
    mt_caches_find(script_report(script), &caches);
    assert_int_equal(caches.count, 1);
    const struct mt_cache *cache = &caches.items[0];
    expect_state(&cache->peak, 2, 3, 3, 0);
    assert_int_equal(cache->peak.reserved, 40 * MIB);
    assert_int_equal(cache->peak.hole_bytes, 22 * MIB);
    assert_int_equal(cache->peak.largest, 8 * MIB);
    expect_state(&cache->end, 2, 2, 2, 1);
    assert_int_equal(cache->end.hole_bytes, 14 * MIB);
    assert_int_equal(cache->end.free_bytes, 20 * MIB);
    assert_int_equal(cache->end.largest, 20 * MIB); // segments side by side are no one piece
    free(caches.items);
    script_close(script);
}

static void test_growing_although_enough_is_cached_is_counted(void **state) {
    struct script *script = two_segments(state);
    struct mt_caches caches;
    mt_caches_find(script_report(script), &caches);
    assert_int_equal(caches.items[0].growths, 2);
    assert_int_equal(caches.items[0].vain, 1); // 12 MiB were asked for, 14 were cached
    assert_int_equal(caches.items[0].peak_bytes, 12 * MIB);
    free(caches.items);
    script_close(script);
}

// Four pieces of 2 MiB, mapped side by side; a block of 3 lies in two of them.
static void test_pieces_of_virtual_memory_join(void **state) {
    const uint64_t base = 1024 * MIB;
    struct script *script = begin(state);
    script_event(script, MT_EFFECT_RESERVED, script->reserve_api, 0, MT_TAG_ADDRESS, base, MT_TAG_BYTES, 64 * MIB, 0);
    for (uint64_t i = 0; i < 4; i++) {
        script_event(script, MT_EFFECT_ALLOCATED, script->create_api, 0, MT_TAG_OBJECT, 100 + i, MT_TAG_BYTES, 2 * MIB,
                     0);
        script_event(script, MT_EFFECT_MAPPED, script->map_api, 0, MT_TAG_ADDRESS, base + i * 2 * MIB, MT_TAG_BYTES,
                     2 * MIB, MT_TAG_OBJECT, 100 + i, 0);
    }
    script_alloc(script, script->tensor_api, base, 3 * MIB, 0);
    struct mt_caches caches;
    mt_caches_find(script_report(script), &caches);
    assert_int_equal(caches.count, 1);
    expect_state(&caches.items[0].end, 4, 1, 1, 2);
    assert_int_equal(caches.items[0].end.handed_out, 3 * MIB);
    assert_int_equal(caches.items[0].end.largest, 5 * MIB);
    free(caches.items);
    script_close(script);
}

static void test_the_view_tells_it_at_the_peak_and_at_the_end(void **state) {
    struct script *script = two_segments(state);
    char *text = script_show(script_report(script), mt_view_pools);
    assert_string_equal(
        text, "Device 0 (Test GPU): PyTorch's caching allocator when it first held most, after 0.000 s\n"
              "              bytes                share    count  memory\n"
              "         18,874,368    18.0 MiB   45.0 %        3  in tensors\n"
              "         23,068,672    22.0 MiB   55.0 %        3  cached, in holes beside tensors\n"
              "                  0         0 B    0.0 %           cached, in segments without a tensor: "
              "torch.cuda.empty_cache() returns them\n"
              "         41,943,040    40.0 MiB  100.0 %        2  reserved, in segments\n"
              "  The largest piece that is free has 8,388,608 bytes (8.00 MiB).\n"
              "  It had just grown for 12,582,912 bytes (12.0 MiB), by t.py:7 grow.\n"
              "Device 0 (Test GPU): PyTorch's caching allocator at exit, after 0.000 s\n"
              "              bytes                share    count  memory\n"
              "          6,291,456    6.00 MiB   15.0 %        2  in tensors\n"
              "         14,680,064    14.0 MiB   35.0 %        2  cached, in holes beside tensors\n"
              "         20,971,520    20.0 MiB   50.0 %        1  cached, in segments without a tensor: "
              "torch.cuda.empty_cache() returns them\n"
              "         41,943,040    40.0 MiB  100.0 %        2  reserved, in segments\n"
              "  The largest piece that is free has 20,971,520 bytes (20.0 MiB).\n"
              "  It grew 2 times, 1 of them with as much cached: in too small pieces, or kept for another size or "
              "stream.\n"
              "\n");
    free(text);
    script_close(script);
}

static void test_without_an_allocator_there_is_nothing_to_tell(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 100 * MIB, 20 * MIB, 0);
    char *text = script_show(script_report(script), mt_view_pools);
    assert_string_equal(text, "No pool's and no framework's memory was recorded.\n\n");
    free(text);
    script_close(script);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_what_is_free_is_in_holes_or_in_whole_segments),
        TEST(test_growing_although_enough_is_cached_is_counted),
        TEST(test_pieces_of_virtual_memory_join),
        TEST(test_the_view_tells_it_at_the_peak_and_at_the_end),
        TEST(test_without_an_allocator_there_is_nothing_to_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
