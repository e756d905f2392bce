/*
 * What the tracer remembers of the process between calls, each against a driver and a recorder of a few lines: contexts
 * by handle, captures under way, views, and how much graphs and pools hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <cupti.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "preload/driver.h"
#include "preload/effects/capture.h"
#include "preload/effects/context_map.h"
#include "preload/effects/graph_memory.h"
#include "preload/effects/pools.h"
#include "preload/effects/views.h"
#include "preload/guard.h"
#include "preload/record.h"
#include "preload/session.h"

// The recorder: ids count up, effects become lines.
__thread struct mt_thread mt_thread __attribute__((tls_model("initial-exec"), visibility("hidden")));
static uint64_t now_ns;
static uint32_t contexts_defined;
static char effects[4096];
static bool may_call = true;

uint64_t mt_now_ns(void) {
    return now_ns;
}

struct mt_trace *mt_session_trace(void) {
    return NULL;
}

bool mt_session_may_call_cuda(void) {
    return may_call;
}

uint32_t mt_define_context(struct mt_trace *trace, uint32_t device) {
    (void)trace;
    (void)device;
    return ++contexts_defined;
}

static uint64_t tag_value(const struct mt_tagged *tags, size_t count, enum mt_tag tag) {
    for (size_t i = 0; i < count; i++) {
        if (tags[i].tag == tag) return tags[i].value;
    }
    return 0;
}

void mt_record_effect(const struct mt_call *call, enum mt_effect effect, enum mt_when when, CUstream stream,
                      const struct mt_tagged *tags, size_t tag_count) {
    size_t length = strlen(effects);
    (void)call;
    (void)when;
    (void)stream;
    snprintf(effects + length, sizeof effects - length, "%d:%llu:%llu ", (int)effect,
             (unsigned long long)tag_value(tags, tag_count, MT_TAG_BYTES),
             (unsigned long long)tag_value(tags, tag_count, MT_TAG_POOL_RESERVED));
}

// The driver.
static CUdevice current_device;
static uint64_t graph_bytes, pool_bytes;
static unsigned pool_questions; // for a pool's reservation
static CUstream capturing;
static CUstreamCaptureMode thread_mode, mode_when_asked;

static CUresult fake_ctx_get_device(CUdevice *device) {
    *device = current_device;
    return CUDA_SUCCESS;
}

static CUresult fake_graph_attribute(CUdevice device, CUgraphMem_attribute attribute, void *value) {
    (void)device;
    (void)attribute;
    *(uint64_t *)value = graph_bytes;
    return CUDA_SUCCESS;
}

static CUresult fake_pool_attribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
    (void)pool;
    pool_questions += attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT;
    mode_when_asked = thread_mode;
    *(uint64_t *)value = pool_bytes;
    return CUDA_SUCCESS;
}

static CUresult fake_exchange_mode(CUstreamCaptureMode *mode) {
    CUstreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}

static CUresult fake_is_capturing(CUstream stream, CUstreamCaptureStatus *status) {
    *status = stream == capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}

struct mt_driver mt_driver = {
    .ctx_get_device = fake_ctx_get_device,
    .device_get_graph_mem_attribute = fake_graph_attribute,
    .mem_pool_get_attribute = fake_pool_attribute,
    .stream_is_capturing = fake_is_capturing,
    .thread_exchange_capture_mode = fake_exchange_mode,
};

static const struct mt_call succeeded = {.result = CUDA_SUCCESS};

static CUcontext context(uintptr_t handle) {
    return (CUcontext)handle;
}

static void a_context_keeps_its_id_until_it_ends(void **state) {
    (void)state;
    bool is_new;
    uint32_t id = mt_context_created(context(0x10), 3, false, &is_new);
    assert_true(is_new);
    assert_int_equal(mt_context_id(context(0x10)), id);
    assert_int_equal(mt_context_device(context(0x10)), 3);
    assert_int_equal(mt_context_ended(context(0x10), 0), id);
    assert_int_equal(mt_context_device(context(0x10)), -1);
}

static void a_handle_that_comes_back_is_another_context(void **state) {
    (void)state;
    bool is_new;
    uint32_t first = mt_context_created(context(0x20), 0, false, &is_new);
    assert_int_equal(mt_context_id(context(0x20)), first);
    mt_context_ended(context(0x20), 0);
    uint32_t second = mt_context_created(context(0x20), 1, false, &is_new);
    assert_int_not_equal(first, second);
    assert_int_equal(mt_context_id(context(0x20)), second);
    mt_context_ended(context(0x20), 0);
}

static void an_end_does_not_reach_a_life_that_began_after_it(void **state) {
    (void)state;
    bool is_new;
    now_ns = 2000;
    uint32_t id = mt_context_created(context(0x30), 0, false, &is_new);
    assert_int_equal(mt_context_ended(context(0x30), 1000), 0);
    assert_int_equal(mt_context_id(context(0x30)), id);
    assert_int_equal(mt_context_ended(context(0x30), 3000), id);
}

static void retaining_a_primary_context_again_makes_no_new_one(void **state) {
    (void)state;
    bool is_new;
    uint32_t id = mt_context_created(context(0x40), 2, true, &is_new);
    assert_int_equal(mt_context_created(context(0x40), 2, true, &is_new), id);
    assert_false(is_new);
    assert_true(mt_context_has_primary(2));
    assert_int_equal(mt_context_primary_ended(2, 0), id);
    assert_false(mt_context_has_primary(2));
    assert_int_not_equal(mt_context_created(context(0x40), 2, true, &is_new), id);
    assert_true(is_new);
    mt_context_primary_ended(2, 0);
}

static void an_unknown_context_is_asked_for_its_device(void **state) {
    (void)state;
    current_device = 5;
    assert_int_not_equal(mt_context_id(context(0x50)), 0);
    assert_int_equal(mt_context_device(context(0x50)), 5);
    mt_context_ended(context(0x50), 0);
    may_call = false;
    assert_int_equal(mt_context_id(context(0x50)), 0);
    assert_int_equal(mt_context_id(NULL), 0);
}

// A call of the program that begins or ends a capture, or destroys a stream; each has the stream first.
static void stream_call(mt_effect_fn *effect, CUstream stream, bool per_thread, CUcontext current, CUresult result) {
    const cuStreamEndCapture_params params = {.hStream = stream};
    const struct mt_call call = {
        .params = &params, .result = result, .context = current, .per_thread_stream = per_thread};
    effect(&call);
}

static void begin_capture(CUstream stream, CUcontext current) {
    stream_call(mt_effect_capture_begin, stream, false, current, CUDA_SUCCESS);
}

static void end_capture(CUstream stream, CUresult result) {
    stream_call(mt_effect_capture_end, stream, false, NULL, result);
}

static CUstream stream(uintptr_t handle) {
    return (CUstream)handle;
}

static void a_capture_is_active_from_its_begin_to_its_end(void **state) {
    (void)state;
    capturing = stream(0x7);
    assert_false(mt_capture_includes(stream(0x7), false));
    begin_capture(stream(0x7), NULL);
    assert_true(mt_capture_active());
    assert_true(mt_capture_includes(stream(0x7), false));
    assert_false(mt_capture_includes(stream(0x8), false));
    end_capture(stream(0x7), CUDA_SUCCESS);
    assert_false(mt_capture_active());
    end_capture(stream(0x7), CUDA_SUCCESS);
    assert_false(mt_capture_active());
}

static void a_capture_that_did_not_begin_is_none(void **state) {
    (void)state;
    stream_call(mt_effect_capture_begin, stream(0x7), false, NULL, CUDA_ERROR_ILLEGAL_STATE);
    assert_false(mt_capture_active());
}

// Which errors of cuStreamEndCapture end a capture, the stream knows.
static void a_failed_end_ends_what_captures_no_more(void **state) {
    (void)state;
    capturing = stream(0x7);
    begin_capture(stream(0x7), NULL);
    end_capture(stream(0x8), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    end_capture(stream(0x7), CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    end_capture(stream(0x7), CUDA_ERROR_INVALID_VALUE); // no graph to return
    assert_true(mt_capture_active());
    capturing = NULL;
    end_capture(stream(0x7), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_false(mt_capture_active());
}

static void a_stream_that_is_destroyed_captures_no_more(void **state) {
    (void)state;
    capturing = stream(0x7);
    begin_capture(stream(0x7), NULL);
    stream_call(mt_effect_stream_destroy, stream(0x8), false, NULL, CUDA_SUCCESS);
    stream_call(mt_effect_stream_destroy, stream(0x7), false, NULL, CUDA_ERROR_INVALID_HANDLE);
    assert_true(mt_capture_active());
    stream_call(mt_effect_stream_destroy, stream(0x7), false, NULL, CUDA_SUCCESS);
    assert_false(mt_capture_active());
}

static void captures_end_with_their_context(void **state) {
    (void)state;
    bool is_new;
    uint32_t kept = mt_context_created(context(0x60), 0, false, &is_new);
    uint32_t gone = mt_context_created(context(0x61), 0, false, &is_new);
    begin_capture(stream(0x7), context(0x60));
    begin_capture(stream(0x8), context(0x61));
    mt_capture_context_ended(gone);
    assert_true(mt_capture_active());
    end_capture(stream(0x7), CUDA_SUCCESS);
    assert_false(mt_capture_active());
    mt_context_ended(context(0x60), 0);
    mt_context_ended(context(0x61), 0);
    assert_int_not_equal(kept, gone);
}

static void a_stream_that_captures_again_is_one_capture(void **state) {
    (void)state;
    begin_capture(stream(0x7), NULL);
    begin_capture(stream(0x7), NULL); // its destruction was not seen
    end_capture(stream(0x7), CUDA_SUCCESS);
    assert_false(mt_capture_active());
}

static void the_per_thread_stream_is_asked_for_by_its_own_handle(void **state) {
    (void)state;
    capturing = CU_STREAM_PER_THREAD;
    stream_call(mt_effect_capture_begin, NULL, true, NULL, CUDA_SUCCESS);
    assert_true(mt_capture_includes(NULL, true));
    assert_false(mt_capture_includes(NULL, false));
    stream_call(mt_effect_capture_end, NULL, true, NULL, CUDA_SUCCESS);
    assert_false(mt_capture_active());
}

static void each_thread_captures_a_per_thread_stream_of_its_own(void **state) {
    (void)state;
    mt_thread.tid = 1;
    begin_capture(CU_STREAM_PER_THREAD, NULL);
    mt_thread.tid = 2;
    begin_capture(CU_STREAM_PER_THREAD, NULL);
    end_capture(CU_STREAM_PER_THREAD, CUDA_SUCCESS);
    assert_true(mt_capture_active());
    mt_thread.tid = 1;
    end_capture(CU_STREAM_PER_THREAD, CUDA_SUCCESS);
    assert_false(mt_capture_active());
    mt_thread.tid = 0;
}

static void a_view_is_taken_once(void **state) {
    (void)state;
    uint64_t bytes;
    mt_view_add(0x1000, 64);
    assert_true(mt_view_take(0x1000, &bytes));
    assert_int_equal(bytes, 64);
    assert_false(mt_view_take(0x1000, &bytes));
    assert_false(mt_view_take(0, &bytes));
}

static void graph_memory_grows_and_shrinks_by_pieces(void **state) {
    (void)state;
    current_device = 1;
    graph_bytes = 64;
    mt_graph_memory_look(&succeeded);
    assert_string_equal(effects, "");
    mt_graph_memory_expected();
    mt_graph_memory_look(&succeeded);
    mt_graph_memory_look(&succeeded);
    graph_bytes = 96;
    mt_graph_memory_look(&succeeded);
    assert_string_equal(effects, "1:64:0 1:32:0 ");
    graph_bytes = 40; // the 32 are gone and 24 of the 64
    mt_graph_memory_look(&succeeded);
    assert_string_equal(effects, "1:64:0 1:32:0 2:0:0 2:0:0 1:40:0 ");
    mt_graph_memory_reset(1);
    graph_bytes = 8;
    mt_graph_memory_look(&succeeded);
    assert_string_equal(effects, "1:64:0 1:32:0 2:0:0 2:0:0 1:40:0 1:8:0 ");
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
    begin_capture(stream(0x7), NULL);
    mt_pool_used(&succeeded, (CUmemoryPool)0x80, 0x60000000, 100);
    mt_effect_synchronize(&succeeded);
    assert_int_equal(pool_questions, 0);
    end_capture(stream(0x7), CUDA_SUCCESS);
    mt_pool_used(&succeeded, (CUmemoryPool)0x80, 0x60000000, 100);
    assert_int_equal(pool_questions, 1);
    mt_pool_remove((CUmemoryPool)0x80);
}

// Another thread may begin to capture between our looking and our asking.
static void a_question_harms_no_capture_that_just_began(void **state) {
    (void)state;
    thread_mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    mt_pool_add((CUmemoryPool)0x90, 0);
    mt_pool_used(&succeeded, (CUmemoryPool)0x90, 0x70000000, 100);
    assert_int_equal(mode_when_asked, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_int_equal(thread_mode, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    mode_when_asked = CU_STREAM_CAPTURE_MODE_GLOBAL;
    mt_effect_synchronize(&succeeded);
    assert_int_equal(mode_when_asked, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_int_equal(thread_mode, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    mt_pool_remove((CUmemoryPool)0x90);
}

static int begin_test(void **state) {
    (void)state;
    may_call = true;
    now_ns = 1;
    effects[0] = 0;
    return 0;
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, begin_test)
    const struct CMUnitTest tests[] = {
        TEST(a_context_keeps_its_id_until_it_ends),
        TEST(a_handle_that_comes_back_is_another_context),
        TEST(an_end_does_not_reach_a_life_that_began_after_it),
        TEST(retaining_a_primary_context_again_makes_no_new_one),
        TEST(an_unknown_context_is_asked_for_its_device),
        TEST(a_capture_is_active_from_its_begin_to_its_end),
        TEST(a_capture_that_did_not_begin_is_none),
        TEST(a_failed_end_ends_what_captures_no_more),
        TEST(a_stream_that_is_destroyed_captures_no_more),
        TEST(captures_end_with_their_context),
        TEST(a_stream_that_captures_again_is_one_capture),
        TEST(the_per_thread_stream_is_asked_for_by_its_own_handle),
        TEST(each_thread_captures_a_per_thread_stream_of_its_own),
        TEST(a_view_is_taken_once),
        TEST(graph_memory_grows_and_shrinks_by_pieces),
        TEST(a_pool_is_written_when_its_reservation_changed),
        TEST(a_pool_is_asked_about_new_pages_alone),
        TEST(a_pool_is_not_asked_about_while_a_stream_captures),
        TEST(a_question_harms_no_capture_that_just_began),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
