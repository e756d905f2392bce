/*
 * What the tracer remembers of contexts, by handle, and of the captures under way in them, against a driver and a
 * recorder of a few lines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <cupti.h>
#include <stdbool.h>

#include "preload/driver.h"
#include "preload/effects/capture.h"
#include "preload/effects/context_map.h"
#include "preload/feed.h"
#include "preload/guard.h"
#include "preload/session.h"

// The recorder: ids count up.
__thread struct mt_thread mt_thread __attribute__((tls_model("initial-exec"), visibility("hidden")));
static uint64_t now_ns;
static uint32_t contexts_defined;
static bool may_call = true;

uint64_t mt_now_ns(void) {
    return now_ns;
}

void mt_feed_unseen(const char *what) {
    (void)what;
}

struct mt_trace *mt_session_trace(void) {
    return NULL;
}

void mt_trace_lose_event(struct mt_trace *trace, int error) {
    (void)trace;
    fail_msg("lost: %d", error);
}

bool mt_session_may_call_cuda(void) {
    return may_call;
}

uint32_t mt_define_context(struct mt_trace *trace, uint32_t device) {
    (void)trace;
    (void)device;
    return ++contexts_defined;
}

// The driver.
static CUcontext current_context, adopted_meanwhile, stream_context;
static unsigned stream_questions;
static CUdevice current_device;
static CUstream capturing;
static CUstreamCaptureMode thread_mode;

static CUresult fake_ctx_get_current(CUcontext *context) {
    *context = current_context;
    return CUDA_SUCCESS;
}

static CUresult fake_ctx_get_device(CUdevice *device) {
    if (adopted_meanwhile) {
        CUcontext context = adopted_meanwhile;
        adopted_meanwhile = NULL;
        mt_context_id(context);
    }
    *device = current_device;
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

static CUresult fake_stream_get_ctx(CUstream stream, CUcontext *context) {
    (void)stream;
    stream_questions++;
    *context = stream_context;
    return CUDA_SUCCESS;
}

struct mt_driver mt_driver = {
    .ctx_get_current = fake_ctx_get_current,
    .ctx_get_device = fake_ctx_get_device,
    .stream_get_ctx = fake_stream_get_ctx,
    .stream_is_capturing = fake_is_capturing,
    .thread_exchange_capture_mode = fake_exchange_mode,
};

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

// Another thread may get the same handle from cuCtxCreate before cuCtxDestroy is back.
static void a_life_that_another_one_followed_at_once_ends_too(void **state) {
    (void)state;
    bool is_new;
    now_ns = 1000;
    uint32_t first = mt_context_created(context(0x31), 0, false, &is_new);
    now_ns = 3000;
    uint32_t second = mt_context_created(context(0x31), 1, false, &is_new);
    assert_int_equal(mt_context_ended(context(0x31), 2000), first);
    assert_int_equal(mt_context_ended(context(0x31), 2000), 0);
    assert_int_equal(mt_context_id(context(0x31)), second);
    assert_int_equal(mt_context_ended(context(0x31), 4000), second);
}

static void retaining_a_primary_context_again_makes_no_new_one(void **state) {
    (void)state;
    bool is_new;
    uint32_t id = mt_context_created(context(0x40), 2, true, &is_new);
    assert_int_equal(mt_context_created(context(0x40), 2, true, &is_new), id);
    assert_false(is_new);
    assert_ptr_equal(mt_context_primary(2), context(0x40));
    assert_int_equal(mt_context_primary_ended(2, 0), id);
    assert_null(mt_context_primary(2));
    assert_int_not_equal(mt_context_created(context(0x40), 2, true, &is_new), id);
    assert_true(is_new);
    mt_context_primary_ended(2, 0);
}

static void an_unknown_context_is_asked_for_its_device(void **state) {
    (void)state;
    current_context = context(0x50);
    current_device = 5;
    assert_int_not_equal(mt_context_id(context(0x50)), 0);
    assert_int_equal(mt_context_device(context(0x50)), 5);
    mt_context_ended(context(0x50), 0);
    may_call = false;
    assert_int_equal(mt_context_id(context(0x50)), 0);
    assert_int_equal(mt_context_id(NULL), 0);
}

// What a call may still name that destroyed its context, while the one below is current again.
static void a_context_that_is_gone_is_not_taken_for_the_current_one(void **state) {
    (void)state;
    current_context = context(0x53);
    current_device = 1;
    assert_int_equal(mt_context_id(context(0x52)), 0);
    assert_int_equal(mt_context_device(context(0x52)), -1);
}

static void a_context_found_by_two_threads_has_one_id(void **state) {
    (void)state;
    uint32_t before = contexts_defined;
    current_context = adopted_meanwhile = context(0x54);
    assert_int_equal(mt_context_id(context(0x54)), before + 1);
    assert_int_equal(contexts_defined, before + 1);
    mt_context_ended(context(0x54), 0);
}

// Its end may not be seen, as that of a green context's.
static void a_context_that_was_only_found_is_not_made_current(void **state) {
    (void)state;
    bool is_new;
    current_context = context(0x55);
    current_device = 6;
    mt_context_id(context(0x55));
    assert_null(mt_context_on(6));
    mt_context_created(context(0x56), 6, false, &is_new);
    assert_ptr_equal(mt_context_on(6), context(0x56));
    mt_context_ended(context(0x55), 0);
    mt_context_ended(context(0x56), 0);
}

static void a_handle_that_was_found_twice_may_be_another_context(void **state) {
    (void)state;
    current_context = context(0x58);
    current_device = 3;
    uint32_t id = mt_context_id(context(0x58));
    mt_contexts_forget_found();
    assert_int_equal(mt_context_device(context(0x58)), -1);
    current_device = 4;
    assert_int_not_equal(mt_context_id(context(0x58)), id);
    assert_int_equal(mt_context_device(context(0x58)), 4);
    mt_context_ended(context(0x58), 0);
}

static void a_context_that_was_found_and_then_retained_is_the_primary_one(void **state) {
    (void)state;
    bool is_new;
    current_context = context(0x57);
    current_device = 7;
    uint32_t id = mt_context_id(context(0x57));
    assert_int_equal(mt_context_created(context(0x57), 7, true, &is_new), id);
    assert_false(is_new);
    assert_ptr_equal(mt_context_on(7), context(0x57));
    assert_int_equal(mt_context_primary_ended(7, 0), id);
}

// First of all: no other context is known yet.
static void streams_are_asked_for_their_context_once_there_are_two_devices(void **state) {
    (void)state;
    bool is_new;
    const struct mt_call call = {.context = context(0x70)};
    mt_context_created(context(0x70), 0, false, &is_new);
    mt_context_created(context(0x71), 0, false, &is_new);
    stream_context = context(0x72);
    assert_ptr_equal(mt_context_of_stream(&call, (CUstream)0x7), context(0x70));
    assert_int_equal(stream_questions, 0);
    mt_context_created(context(0x72), 1, false, &is_new);
    assert_ptr_equal(mt_context_of_stream(&call, (CUstream)0x7), context(0x72));
    assert_ptr_equal(mt_context_of_stream(&call, NULL), context(0x70));
    assert_ptr_equal(mt_context_of_stream(&call, CU_STREAM_LEGACY), context(0x70));
    assert_ptr_equal(mt_context_of_stream(&call, CU_STREAM_PER_THREAD), context(0x70));
    assert_int_equal(stream_questions, 1);
    stream_context = context(0x73); // nobody knows whose that is
    assert_ptr_equal(mt_context_of_stream(&call, (CUstream)0x7), context(0x70));
    for (uintptr_t handle = 0x70; handle <= 0x72; handle++) mt_context_ended(context(handle), 0);
}

static void the_primary_context_is_the_one_for_a_device(void **state) {
    (void)state;
    bool is_new;
    mt_context_created(context(0x74), 8, false, &is_new);
    assert_ptr_equal(mt_context_on(8), context(0x74));
    mt_context_created(context(0x75), 8, true, &is_new);
    assert_ptr_equal(mt_context_on(8), context(0x75));
    mt_context_primary_ended(8, 0);
    mt_context_ended(context(0x74), 0);
    assert_null(mt_context_on(8));
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
    begin_capture(stream(0x7), context(0x60));
    begin_capture(stream(0x8), context(0x61));
    mt_capture_context_ended(NULL);
    mt_capture_context_ended(context(0x61));
    assert_true(mt_capture_active());
    end_capture(stream(0x7), CUDA_SUCCESS);
    assert_false(mt_capture_active());
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

static void nothing_is_asked_while_a_stream_captures(void **state) {
    (void)state;
    CUstreamCaptureMode mode;
    begin_capture(stream(0x7), NULL);
    assert_false(mt_may_ask());
    assert_false(mt_ask_begin(&mode));
    end_capture(stream(0x7), CUDA_SUCCESS);
    assert_true(mt_may_ask());
    may_call = false;
    assert_false(mt_may_ask());
}

// Another thread may begin to capture between our looking and our asking.
static void a_question_harms_no_capture_that_just_began(void **state) {
    (void)state;
    CUstreamCaptureMode mode;
    thread_mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    assert_true(mt_ask_begin(&mode));
    assert_int_equal(thread_mode, CU_STREAM_CAPTURE_MODE_RELAXED);
    mt_ask_end(mode);
    assert_int_equal(thread_mode, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
}

static void there_may_be_any_number_of_captures(void **state) {
    (void)state;
    for (uintptr_t i = 1; i <= 1000; i++) begin_capture(stream(i << 4), NULL);
    for (uintptr_t i = 1; i <= 1000; i++) {
        assert_true(mt_capture_active());
        end_capture(stream(i << 4), CUDA_SUCCESS);
    }
    assert_false(mt_capture_active());
}

static void there_may_be_any_number_of_contexts(void **state) {
    (void)state;
    bool is_new;
    for (uintptr_t i = 1; i <= 1000; i++) mt_context_created((CUcontext)(i << 8), (CUdevice)(i % 4), false, &is_new);
    for (uintptr_t i = 1; i <= 1000; i++) assert_int_equal(mt_context_device((CUcontext)(i << 8)), i % 4);
    for (uintptr_t i = 1; i <= 1000; i++) assert_true(mt_context_ended((CUcontext)(i << 8), 0));
    assert_int_equal(mt_context_device((CUcontext)0x100), -1);
}

static int begin_test(void **state) {
    (void)state;
    may_call = true;
    now_ns = 1;
    return 0;
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, begin_test)
    const struct CMUnitTest tests[] = {
        TEST(streams_are_asked_for_their_context_once_there_are_two_devices),
        TEST(the_primary_context_is_the_one_for_a_device),
        TEST(a_context_keeps_its_id_until_it_ends),
        TEST(a_handle_that_comes_back_is_another_context),
        TEST(an_end_does_not_reach_a_life_that_began_after_it),
        TEST(a_life_that_another_one_followed_at_once_ends_too),
        TEST(retaining_a_primary_context_again_makes_no_new_one),
        TEST(an_unknown_context_is_asked_for_its_device),
        TEST(a_context_that_is_gone_is_not_taken_for_the_current_one),
        TEST(a_context_found_by_two_threads_has_one_id),
        TEST(a_context_that_was_only_found_is_not_made_current),
        TEST(a_handle_that_was_found_twice_may_be_another_context),
        TEST(a_context_that_was_found_and_then_retained_is_the_primary_one),
        TEST(a_capture_is_active_from_its_begin_to_its_end),
        TEST(a_capture_that_did_not_begin_is_none),
        TEST(a_failed_end_ends_what_captures_no_more),
        TEST(a_stream_that_is_destroyed_captures_no_more),
        TEST(captures_end_with_their_context),
        TEST(a_stream_that_captures_again_is_one_capture),
        TEST(the_per_thread_stream_is_asked_for_by_its_own_handle),
        TEST(each_thread_captures_a_per_thread_stream_of_its_own),
        TEST(nothing_is_asked_while_a_stream_captures),
        TEST(a_question_harms_no_capture_that_just_began),
        TEST(there_may_be_any_number_of_captures),
        TEST(there_may_be_any_number_of_contexts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
