/*
 * Memory pools: which one a block lies in, what it held at most and at the end, and the largest hole.
 */
#include "tests/unit/scripts.h"
#include "viewer/analysis/pools.h"

#define OWN   0xa000
#define USUAL 0xd000

static void sample(struct script *script, uint64_t pool, uint64_t reserved) {
    script_event(script, MT_EFFECT_POOL_SAMPLED, script->async_api, 0, MT_TAG_POOL, pool, MT_TAG_POOL_RESERVED,
                 reserved, MT_TAG_DEVICE, (uint64_t)0, 0);
}

static void alloc_from(struct script *script, uint64_t pool, uint64_t address, uint64_t bytes) {
    script_event(script, MT_EFFECT_ALLOCATED, script->async_api, 0, MT_TAG_ADDRESS, address, MT_TAG_BYTES, bytes,
                 MT_TAG_POOL, pool, 0);
}

static void expect_state(const struct mt_pool_state *state, uint64_t reserved, uint64_t handed_out, uint64_t blocks,
                         uint64_t hole) {
    assert_int_equal(state->reserved, reserved);
    assert_int_equal(state->handed_out, handed_out);
    assert_int_equal(state->blocks, blocks);
    assert_int_equal(state->hole, hole);
}

// Four blocks of 10, 1, 20 and 1 MiB in 64; then the large ones go.
static void test_holes_lie_between_blocks(void **state) {
    struct script *script = script_begin(state);
    alloc_from(script, OWN, 100 * MIB, 10 * MIB);
    sample(script, OWN, 64 * MIB);
    alloc_from(script, OWN, 110 * MIB, 1 * MIB);
    alloc_from(script, OWN, 111 * MIB, 20 * MIB);
    alloc_from(script, OWN, 131 * MIB, 1 * MIB);
    script_free(script, script->free_api, 100 * MIB, 0);
    script_free(script, script->free_api, 111 * MIB, 0);
    struct mt_pools pools;
    mt_pools_find(script_report(script), &pools);
    assert_int_equal(pools.count, 1);
    expect_state(&pools.items[0].peak, 64 * MIB, 10 * MIB, 1, 0);
    expect_state(&pools.items[0].last, 64 * MIB, 2 * MIB, 2, 20 * MIB);
    mt_pools_clear(&pools);
    script_close(script);
}

// A hole is no larger than what the pool holds unused: the rest went back to the device.
static void test_a_hole_is_memory(void **state) {
    struct script *script = script_begin(state);
    alloc_from(script, OWN, 100 * MIB, 30 * MIB);
    sample(script, OWN, 32 * MIB);
    alloc_from(script, OWN, 130 * MIB, 2 * MIB);
    script_free(script, script->free_api, 100 * MIB, 0);
    sample(script, OWN, 6 * MIB);
    struct mt_pools pools;
    mt_pools_find(script_report(script), &pools);
    expect_state(&pools.items[0].last, 6 * MIB, 2 * MIB, 1, 4 * MIB);
    mt_pools_clear(&pools);
    script_close(script);
}

// The first block of the usual pool tells of the pool itself first; other threads do something else meanwhile.
static void test_a_pool_used_for_the_first_time_holds_its_block(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->async_api, 100 * MIB, 4 * MIB, 0);
    script_event(script, MT_EFFECT_POOL_CREATED, script->async_api, 0, MT_TAG_POOL, (uint64_t)USUAL, MT_TAG_DEVICE,
                 (uint64_t)0, 0);
    script->thread = 1;
    script_event(script, MT_EFFECT_RANGE_POPPED, 0, 0, 0);
    sample(script, OWN, 64 * MIB);
    script->thread = 0;
    sample(script, USUAL, 32 * MIB);
    struct mt_pools pools;
    mt_pools_find(script_report(script), &pools);
    assert_int_equal(pools.count, 2);
    assert_int_equal(pools.items[0].handle, OWN);
    expect_state(&pools.items[0].last, 64 * MIB, 0, 0, 0);
    expect_state(&pools.items[1].peak, 32 * MIB, 4 * MIB, 1, 0);
    mt_pools_clear(&pools);
    script_close(script);
}

// The program does not say where a block shall come from; the sample after it does, and stands for the next as well.
static void test_the_current_pool_is_learnt(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->async_api, 100 * MIB, 4 * MIB, 0);
    sample(script, USUAL, 32 * MIB);
    alloc_from(script, OWN, 500 * MIB, 1 * MIB);
    sample(script, OWN, 32 * MIB);
    script_alloc(script, script->async_api, 104 * MIB, 5 * MIB, 0);
    struct mt_pools pools;
    mt_pools_find(script_report(script), &pools);
    assert_int_equal(pools.count, 2);
    assert_int_equal(pools.items[0].handle, USUAL);
    expect_state(&pools.items[0].last, 32 * MIB, 9 * MIB, 2, 0);
    assert_int_equal(pools.items[1].handle, OWN);
    expect_state(&pools.items[1].last, 32 * MIB, 1 * MIB, 1, 0);
    mt_pools_clear(&pools);
    script_close(script);
}

// The last word about a pool is what it held when it was destroyed; its handle may come back for another one.
static void test_a_destroyed_pool_is_done(void **state) {
    struct script *script = script_begin(state);
    for (uint64_t round = 1; round <= 2; round++) {
        alloc_from(script, OWN, 100 * MIB, round * MIB);
        sample(script, OWN, 32 * MIB);
        script_event(script, MT_EFFECT_POOL_DESTROYED, script->async_api, 0, MT_TAG_POOL, (uint64_t)OWN, 0);
        script_free(script, script->free_api, 100 * MIB, 0);
    }
    struct mt_pools pools;
    mt_pools_find(script_report(script), &pools);
    assert_int_equal(pools.count, 2);
    for (uint64_t round = 1; round <= 2; round++) {
        assert_true(pools.items[round - 1].destroyed);
        expect_state(&pools.items[round - 1].last, 32 * MIB, round * MIB, 1, 0);
    }
    mt_pools_clear(&pools);
    script_close(script);
}

static void test_no_pool(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x1000, 500, 0);
    struct mt_pools pools;
    mt_pools_find(script_report(script), &pools);
    assert_int_equal(pools.count, 0);
    mt_pools_clear(&pools);
    script_close(script);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_holes_lie_between_blocks),
        TEST(test_a_hole_is_memory),
        TEST(test_a_pool_used_for_the_first_time_holds_its_block),
        TEST(test_the_current_pool_is_learnt),
        TEST(test_a_destroyed_pool_is_done),
        TEST(test_no_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
