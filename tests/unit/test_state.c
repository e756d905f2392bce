/*
 * What the tracer remembers of memory between calls, against a driver and a recorder of a few lines: views, and how
 * much graphs and pools hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <cupti.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "preload/driver.h"
#include "preload/effects/capture.h"
#include "preload/effects/context_map.h"
#include "preload/effects/graph_memory.h"
#include "preload/effects/pools.h"
#include "preload/effects/seen.h"
#include "preload/effects/views.h"
#include "preload/record.h"
#include "preload/session.h"

// The recorder: effects become lines.
static char effects[4096];
static CUcontext writing_context; // of the last one

static uint64_t tag_value(const struct mt_tagged *tags, size_t count, enum mt_tag tag) {
    for (size_t i = 0; i < count; i++) {
        if (tags[i].tag == tag) return tags[i].value;
    }
    return 0;
}

void mt_record_effect(const struct mt_call *call, enum mt_effect effect, enum mt_when when, CUstream stream,
                      const struct mt_tagged *tags, size_t tag_count) {
    size_t length = strlen(effects);
    writing_context = call->context;
    (void)when;
    (void)stream;
    snprintf(effects + length, sizeof effects - length, "%d:%llu:%llu ", (int)effect,
             (unsigned long long)tag_value(tags, tag_count, MT_TAG_BYTES),
             (unsigned long long)tag_value(tags, tag_count, MT_TAG_POOL_RESERVED));
}

struct mt_trace *mt_session_trace(void) {
    return NULL;
}

void mt_trace_lose_event(struct mt_trace *trace, int error) {
    (void)trace;
    fail_msg("lost: %d", error);
}

// The driver.
static bool may_ask = true;
static uint64_t graph_bytes[2], pool_bytes;
static unsigned pool_questions; // for a pool's reservation

bool mt_may_ask(void) {
    return may_ask;
}

bool mt_ask_begin(CUstreamCaptureMode *mode) {
    *mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    return may_ask;
}

void mt_ask_end(CUstreamCaptureMode mode) {
    (void)mode;
}

int mt_context_device(CUcontext context) {
    return context == (CUcontext)0x11 ? 1 : 0;
}

static CUresult fake_get_mem_pool(CUmemoryPool *pool, CUdevice device) {
    *pool = (CUmemoryPool)(0xa0 + (uintptr_t)device);
    return CUDA_SUCCESS;
}

CUcontext mt_context_on(CUdevice device) {
    return (CUcontext)(uintptr_t)(0x10 + device);
}

static CUresult fake_graph_attribute(CUdevice device, CUgraphMem_attribute attribute, void *value) {
    (void)attribute;
    *(uint64_t *)value = graph_bytes[device];
    return CUDA_SUCCESS;
}

static CUresult fake_pool_attribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
    (void)pool;
    pool_questions += attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT;
    *(uint64_t *)value = pool_bytes;
    return CUDA_SUCCESS;
}

struct mt_driver mt_driver = {
    .device_get_mem_pool = fake_get_mem_pool,
    .device_get_graph_mem_attribute = fake_graph_attribute,
    .mem_pool_get_attribute = fake_pool_attribute,
};

static const struct mt_call succeeded = {.result = CUDA_SUCCESS};

static void a_view_is_taken_once(void **state) {
    (void)state;
    uint64_t bytes;
    mt_view_add(0x1000, 64, NULL);
    assert_true(mt_view_take(0x1000, &bytes));
    assert_int_equal(bytes, 64);
    assert_false(mt_view_take(0x1000, &bytes));
    assert_false(mt_view_take(0, &bytes));
}

static void views_end_with_their_context(void **state) {
    (void)state;
    uint64_t bytes;
    mt_view_add(0x2000, 64, (CUcontext)0x10);
    mt_view_add(0x3000, 128, (CUcontext)0x11);
    mt_views_context_ended(NULL);
    mt_views_context_ended((CUcontext)0x10);
    assert_false(mt_view_take(0x2000, &bytes));
    assert_true(mt_view_take(0x3000, &bytes));
    assert_int_equal(bytes, 128);
}

static void there_may_be_any_number_of_views(void **state) {
    uint64_t bytes;
    (void)state;
    for (uint64_t i = 1; i <= 5000; i++) mt_view_add(i << 12, i, (CUcontext)0x10);
    for (uint64_t i = 5000; i >= 1; i--) {
        assert_true(mt_view_take(i << 12, &bytes));
        assert_int_equal(bytes, i);
        assert_false(mt_view_take(i << 12, &bytes));
    }
}

static void graph_memory_grows_and_shrinks_by_pieces(void **state) {
    (void)state;
    graph_bytes[0] = 64;
    mt_graph_memory_look(&succeeded);
    assert_string_equal(effects, "");
    mt_graph_memory_expected(0);
    mt_graph_memory_look(&succeeded);
    mt_graph_memory_look(&succeeded);
    graph_bytes[0] = 96;
    mt_graph_memory_look(&succeeded);
    assert_string_equal(effects, "1:64:0 1:32:0 ");
    graph_bytes[0] = 40; // the 32 are gone and 24 of the 64
    mt_graph_memory_look(&succeeded);
    assert_string_equal(effects, "1:64:0 1:32:0 2:0:0 2:0:0 1:40:0 ");
    mt_graph_memory_reset(0);
    graph_bytes[0] = 8;
    mt_graph_memory_look(&succeeded);
    assert_string_equal(effects, "1:64:0 1:32:0 2:0:0 2:0:0 1:40:0 1:8:0 ");
}

static void graph_memory_is_looked_at_wherever_graphs_allocate(void **state) {
    (void)state;
    const struct mt_call there = {.result = CUDA_SUCCESS, .context = (CUcontext)0x10};
    graph_bytes[1] = 128;
    mt_graph_memory_look(&there);
    assert_string_equal(effects, "");
    mt_graph_memory_expected(1);
    mt_graph_memory_expected(-1); // nobody knows where
    mt_graph_memory_look(&there);
    assert_string_equal(effects, "1:128:0 ");
    assert_ptr_equal(writing_context, (CUcontext)0x11);
}

static void a_pool_is_written_when_its_reservation_changed(void **state) {
    (void)state;
    pool_bytes = 32;
    mt_pool_add((CUmemoryPool)0x60, 0);
    mt_pool_used(&succeeded, (CUmemoryPool)0x60, 0x2000000, 100);
    mt_pool_used(&succeeded, (CUmemoryPool)0x60, 0x4000000, 100);
    assert_string_equal(effects, "17:0:32 ");
    pool_bytes = 0;
    mt_effect_synchronize(&succeeded);
    mt_effect_synchronize(&succeeded);
    assert_string_equal(effects, "17:0:32 17:0:0 ");
    mt_pool_remove((CUmemoryPool)0x60);
    pool_bytes = 16;
    mt_effect_synchronize(&succeeded);
    assert_string_equal(effects, "17:0:32 17:0:0 ");
}

static void a_pool_is_asked_about_new_pages_alone(void **state) {
    (void)state;
    CUmemoryPool pool = (CUmemoryPool)0x70;
    pool_bytes = 32;
    pool_questions = 0;
    mt_pool_add(pool, 0);
    mt_pool_used(&succeeded, pool, 0x10000000, 100);
    mt_pool_used(&succeeded, pool, 0x10000200, 100); // the same page
    assert_int_equal(pool_questions, 1);
    mt_pool_used(&succeeded, pool, 0x10000000, 0x200001); // one page more
    mt_pool_used(&succeeded, pool, 0x10200000, 100);
    assert_int_equal(pool_questions, 2);
    mt_pool_used(&succeeded, pool, 0x40000000, 1 << 30); // large ones always
    mt_pool_used(&succeeded, pool, 0x40000000, 1 << 30);
    assert_int_equal(pool_questions, 4);

    // given that the pool gave memory back, then what was known is not known any more
    pool_bytes = 16;
    mt_effect_synchronize(&succeeded);
    pool_questions = 0;
    mt_pool_used(&succeeded, pool, 0x10000000, 100);
    assert_int_equal(pool_questions, 1);
    mt_pool_remove(pool);
}

static void a_pool_is_not_asked_about_while_a_stream_captures(void **state) {
    (void)state;
    pool_bytes = 32;
    pool_questions = 0;
    mt_pool_add((CUmemoryPool)0x80, 0);
    may_ask = false;
    mt_pool_used(&succeeded, (CUmemoryPool)0x80, 0x60000000, 100);
    mt_effect_synchronize(&succeeded);
    assert_int_equal(pool_questions, 0);
    may_ask = true;
    mt_pool_used(&succeeded, (CUmemoryPool)0x80, 0x60000000, 100);
    assert_int_equal(pool_questions, 1);
    mt_pool_remove((CUmemoryPool)0x80);
}

static void a_pool_that_is_being_destroyed_is_not_asked_about(void **state) {
    (void)state;
    CUmemoryPool pool = (CUmemoryPool)0xb0;
    const cuMemPoolDestroy_params params = {.pool = pool};
    const struct mt_call begins = {.params = &params};
    pool_bytes = 32;
    pool_questions = 0;
    mt_pool_add(pool, 0);
    mt_effect_pool_destroy_begins(&begins);
    mt_effect_synchronize(&succeeded);
    assert_int_equal(pool_questions, 0);
    mt_pool_stays(pool);
    mt_effect_synchronize(&succeeded);
    assert_int_equal(pool_questions, 1);
    mt_effect_pool_destroy_begins(&begins);
    mt_pool_remove(pool);
    mt_pool_add(pool, 0); // the handle came back
    mt_effect_synchronize(&succeeded);
    assert_int_equal(pool_questions, 2);
    mt_pool_remove(pool);
}

static atomic_bool asking, destroyed, asked_too_late;

// The driver takes its time, and the pool had better be there until it is done.
static CUresult slow_pool_attribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
    (void)pool;
    (void)attribute;
    atomic_store(&asking, true);
    for (int i = 0; i < 1000 && !atomic_load(&destroyed); i++) sched_yield();
    if (atomic_load(&destroyed)) atomic_store(&asked_too_late, true);
    *(uint64_t *)value = 32;
    return CUDA_SUCCESS;
}

static void *synchronize(void *unused) {
    mt_effect_synchronize(&succeeded);
    return unused;
}

static void a_pool_is_destroyed_when_no_thread_asks_about_it_any_more(void **state) {
    (void)state;
    CUmemoryPool pool = (CUmemoryPool)0xc0;
    pthread_t thread;
    mt_driver.mem_pool_get_attribute = slow_pool_attribute;
    mt_pool_add(pool, 0);
    assert_int_equal(pthread_create(&thread, NULL, synchronize, NULL), 0);
    while (!atomic_load(&asking)) sched_yield();
    mt_pool_leaves(pool);
    atomic_store(&destroyed, true);
    pthread_join(thread, NULL);
    mt_pool_remove(pool);
    mt_driver.mem_pool_get_attribute = fake_pool_attribute;
    assert_false(atomic_load(&asked_too_late));
}

static void an_allocation_is_of_the_current_pool_of_its_context_s_device(void **state) {
    (void)state;
    const struct mt_call there = {.result = CUDA_SUCCESS, .context = (CUcontext)0x11};
    pool_bytes = 32;
    mt_pool_used(&there, NULL, 0x80000000, 100);
    assert_int_equal(mt_pool_device((CUmemoryPool)0xa1), 1);
    assert_int_equal(mt_pool_device((CUmemoryPool)0xa0), -1);
    mt_pool_remove((CUmemoryPool)0xa1);
}

static void there_may_be_any_number_of_pools(void **state) {
    (void)state;
    for (int round = 0; round < 2; round++) {
        for (uintptr_t i = 1; i <= 1000; i++) mt_pool_add((CUmemoryPool)(i << 4), (CUdevice)(i % 8));
        for (uintptr_t i = 1; i <= 1000; i++) assert_int_equal(mt_pool_device((CUmemoryPool)(i << 4)), i % 8);
        for (uintptr_t i = 1; i <= 1000; i++) mt_pool_remove((CUmemoryPool)(i << 4));
        assert_int_equal(mt_pool_device((CUmemoryPool)0x10), -1);
    }
}

static int begin_test(void **state) {
    (void)state;
    may_ask = true;
    effects[0] = 0;
    return 0;
}

static void memory_comes_back_as_often_as_it_was_handed_out(void **state) {
    (void)state;
    assert_false(mt_seen_take(0x200000000000));
    mt_seen_add(0x200000000000);
    mt_seen_add(0x200000000000);
    assert_true(mt_seen_take(0x200000000000));
    assert_true(mt_seen_take(0x200000000000));
    assert_false(mt_seen_take(0x200000000000));
    mt_seen_keep(0x200000000200);
    for (int i = 0; i < 3; i++) assert_true(mt_seen_take(0x200000000200));
}

// What was handed out is always known, however much there is; little else passes for it.
static void much_memory_is_told_from_what_was_never_there(void **state) {
    (void)state;
    const uint64_t base = 0x7f0000000000, count = 10000;
    unsigned mistaken = 0;
    for (uint64_t i = 0; i < count; i++) mt_seen_add(base + i * 512);
    for (uint64_t i = count; i < 2 * count; i++) mistaken += mt_seen_take(base + i * 512);
    assert_true(mistaken < count / 100);
    // Those that passed took what belonged to others; all the rest comes back.
    unsigned missing = 0;
    for (uint64_t i = 0; i < count; i++) missing += !mt_seen_take(base + i * 512);
    assert_true(missing <= 2 * mistaken);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, begin_test)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_comes_back_as_often_as_it_was_handed_out),
        cmocka_unit_test(much_memory_is_told_from_what_was_never_there),
        TEST(a_view_is_taken_once),
        TEST(views_end_with_their_context),
        TEST(there_may_be_any_number_of_views),
        TEST(there_may_be_any_number_of_pools),
        TEST(graph_memory_grows_and_shrinks_by_pieces),
        TEST(graph_memory_is_looked_at_wherever_graphs_allocate),
        TEST(a_pool_is_written_when_its_reservation_changed),
        TEST(a_pool_is_asked_about_new_pages_alone),
        TEST(a_pool_that_is_being_destroyed_is_not_asked_about),
        TEST(a_pool_is_destroyed_when_no_thread_asks_about_it_any_more),
        TEST(an_allocation_is_of_the_current_pool_of_its_context_s_device),
        TEST(a_pool_is_not_asked_about_while_a_stream_captures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
