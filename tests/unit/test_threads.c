/*
 * Many threads on one trace: nothing lost, nothing doubled, the merged order right, and thousands of short threads in a
 * few chunks.
 */
#include "tests/unit/trace_files.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 8, PAIRS = 100000, POOL = 4 };

// A tiny allocator of POOL addresses that all threads fight for, as the driver's is.
struct pool {
    struct mt_trace *trace;
    _Atomic int taken[POOL];
};

struct worker {
    struct pool *pool;
    uint32_t tid;
};

static int take(struct pool *pool, int start) {
    for (int i = start;; i = (i + 1) % POOL) {
        int free_one = 0;
        if (atomic_compare_exchange_strong(&pool->taken[i], &free_one, 1)) return i;
    }
}

// Recorded as the tracer does it: an allocation is stamped after the call, a free before it.
static void *allocate_and_free(void *argument) {
    struct worker *worker = argument;
    struct pool *pool = worker->pool;
    struct mt_lane *lane = mt_lane_acquire(pool->trace, worker->tid);
    for (int i = 0; i < PAIRS; i++) {
        int block = take(pool, i % POOL);
        struct mt_event event = {.time_ns = mt_now_ns(), .api = 1, .stack = worker->tid};
        mt_write_alloc(lane, &event, 0x1000 * (uint64_t)(block + 1), (uint64_t)i);
        event = (struct mt_event){.time_ns = mt_now_ns(), .api = 2, .stack = worker->tid};
        atomic_store(&pool->taken[block], 0);
        mt_write_free(lane, &event, 0x1000 * (uint64_t)(block + 1));
    }
    mt_lane_release(lane);
    return NULL;
}

struct check {
    uint64_t time_ns, allocs, frees, bytes[THREADS + 1];
    uint32_t owner[POOL]; // thread that holds the block, 0: nobody
    bool in_order, paired;
};

static int check_event(void *user, const struct mt_record_event *event) {
    struct check *check = user;
    uint32_t *owner = &check->owner[event->address / 0x1000 - 1];
    check->in_order &= event->time_ns >= check->time_ns;
    check->time_ns = event->time_ns;
    if (event->effect == MT_EFFECT_ALLOCATED) {
        check->paired &= *owner == 0;
        *owner = event->thread;
        check->allocs++;
        check->bytes[event->thread] += event->bytes;
    } else {
        check->paired &= *owner == event->thread;
        *owner = 0;
        check->frees++;
    }
    return 0;
}

static void eight_threads_add_up(void **state) {
    // given 8 threads with 100000 pairs each, on the same few addresses
    char *path = path_in(state, "trace.bin");
    struct pool pool = {.trace = trace_make(path)};
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){&pool, i + 1};
        assert_int_equal(pthread_create(&threads[i], NULL, allocate_and_free, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    mt_trace_finish(pool.trace);

    // when the file is read
    struct mt_reader *reader;
    uint32_t version;
    struct check check = {.in_order = true, .paired = true};
    assert_int_equal(mt_reader_open(path, &reader, &version), MT_OPEN_OK);
    assert_int_equal(mt_reader_events(reader, check_event, &check), 0);

    // then the sums are exact, and no address is given out before it was given back
    assert_int_equal(check.allocs, THREADS * PAIRS);
    assert_int_equal(check.frees, THREADS * PAIRS);
    for (int i = 1; i <= THREADS; i++) assert_int_equal(check.bytes[i], UINT64_C(4999950000));
    assert_true(check.in_order);
    assert_true(check.paired);
    assert_int_equal(mt_trace_loss(pool.trace).events, 0);
    assert_int_equal(mt_reader_damage(reader).chunks, 0);
    mt_reader_close(reader);
    free(path);
}

static void *one_pair(void *argument) {
    struct worker *worker = argument;
    struct mt_lane *lane = mt_lane_acquire(worker->pool->trace, worker->tid);
    struct mt_event event = {.time_ns = mt_now_ns(), .api = 1, .stack = 1};
    mt_write_alloc(lane, &event, worker->tid, worker->tid);
    event.time_ns = mt_now_ns();
    mt_write_free(lane, &event, worker->tid);
    mt_lane_release(lane);
    return NULL;
}

static void short_threads_share_chunks(void **state) {
    // given 10000 threads, one after the other, with one pair each
    enum { SHORT = 10000 };
    char *path = path_in(state, "trace.bin");
    struct pool pool = {.trace = trace_make(path)};
    for (uint32_t i = 1; i <= SHORT; i++) {
        struct worker worker = {&pool, i};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, one_pair, &worker), 0);
        pthread_join(thread, NULL);
    }
    mt_trace_finish(pool.trace);

    // then each is known by its number, and the file has the few chunks that the bytes need
    struct whole whole = whole_read(path);
    assert_int_equal(whole.event_count, 2 * SHORT);
    for (uint32_t i = 0; i < SHORT; i++) {
        assert_int_equal(whole.events[2 * i].thread, i + 1);
        assert_int_equal(whole.events[2 * i].bytes, i + 1);
        assert_int_equal(whole.events[2 * i + 1].thread, i + 1);
    }
    assert_true(mt_reader_file_bytes(whole.reader) <= 4096 + 6 * 65536);
    whole_free(&whole);
    free(path);
}

struct runner {
    struct mt_trace *trace;
    _Atomic uint64_t written, running;
    _Atomic bool stop;
};

static void *write_until_stopped(void *argument) {
    struct runner *runner = argument;
    struct mt_lane *lane = mt_lane_acquire(runner->trace, 1);
    uint64_t written = 0;
    atomic_fetch_add(&runner->running, 1);
    while (!atomic_load_explicit(&runner->stop, memory_order_relaxed)) {
        struct mt_event event = {.time_ns = mt_now_ns(), .api = 1};
        mt_write_alloc(lane, &event, written, 1);
        written++;
    }
    atomic_fetch_add(&runner->written, written);
    mt_lane_release(lane);
    return NULL;
}

static void an_end_in_the_middle_counts_every_event(void **state) {
    // given threads in full flight, when the trace is finished under them
    char *path = path_in(state, "trace.bin");
    struct runner runner = {.trace = trace_make(path)};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, write_until_stopped, &runner), 0);
    while (atomic_load(&runner.running) < 4) {
    }
    uint64_t end_ns = mt_now_ns() + 20000000;
    while (mt_now_ns() < end_ns) {
    }
    mt_trace_finish(runner.trace);
    atomic_store(&runner.stop, true);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);

    // then what was written is either in the file or counted as lost
    struct whole whole = whole_read(path);
    assert_true(whole.event_count > 0);
    assert_int_equal(whole.event_count + whole.header.lost_events, atomic_load(&runner.written));
    assert_int_equal(whole.damage.chunks, 0);
    assert_int_equal(whole.header.state, MT_STATE_FINISHED);
    whole_free(&whole);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(eight_threads_add_up, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(short_threads_share_chunks, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(an_end_in_the_middle_counts_every_event, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
