/*
 * What the recorder costs, without any program around it: nanoseconds an operation, beside an empty loop, a clock
 * reading and a memcpy of a record's size on the same machine. `make bench` prints it.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer/reader.h"
#include "tracer/trace.h"

enum { DEPTH = 27, STACKS = 1000, ROUNDS = 5 };

struct bench {
    struct mt_trace *trace;
    struct mt_lane *lane;
    struct mt_frame frames[DEPTH];
    uint64_t time_ns;
    uint8_t from[64], to[64];
};

// One operation, number `i`. Returns something, so that nothing is optimised away.
typedef uint64_t operation_fn(struct bench *bench, uint64_t i);

static uint64_t nothing(struct bench *bench, uint64_t i) {
    (void)bench;
    return i;
}

static uint64_t read_clock(struct bench *bench, uint64_t i) {
    (void)bench;
    return mt_now_ns() + i;
}

static uint64_t copy_record(struct bench *bench, uint64_t i) {
    bench->from[i % 8]++;
    memcpy(bench->to, bench->from, 16 + i % 4);
    return bench->to[i % 16];
}

static struct mt_event next_event(struct bench *bench, uint64_t i) {
    bench->time_ns += 700;
    return (struct mt_event){.time_ns = bench->time_ns, .api = 1, .stack = 100 + i % 50, .context = 1};
}

static uint64_t write_alloc(struct bench *bench, uint64_t i) {
    struct mt_event event = next_event(bench, i);
    mt_write_alloc(bench->lane, &event, 0x7f0000000000 + 512 * (i % 50), 512 * (1 + i % 50));
    return i;
}

static uint64_t write_free(struct bench *bench, uint64_t i) {
    struct mt_event event = next_event(bench, i);
    mt_write_free(bench->lane, &event, 0x7f0000000000 + 512 * (i % 50));
    return i;
}

static uint64_t write_tags(struct bench *bench, uint64_t i) {
    struct mt_event event = next_event(bench, i);
    const struct mt_tagged tags[] = {{MT_TAG_DEVICE, 0}, {MT_TAG_USED, 565182464}, {MT_TAG_TOTAL, 150754820096}};
    mt_write_event(bench->lane, MT_EFFECT_SAMPLED, &event, tags, 3);
    return i;
}

static uint64_t known_stack(struct bench *bench, uint64_t i) {
    bench->frames[0].address = 0x500000 + i % STACKS;
    return mt_define_stack(bench->trace, bench->frames, DEPTH);
}

static uint64_t known_stack_and_alloc(struct bench *bench, uint64_t i) {
    struct mt_event event = next_event(bench, i);
    event.time_ns = bench->time_ns = mt_now_ns();
    event.stack = (uint32_t)known_stack(bench, i);
    mt_write_alloc(bench->lane, &event, 0x7f0000000000 + 512 * (i % 50), 512);
    return i;
}

static uint64_t new_stack(struct bench *bench, uint64_t i) {
    static uint64_t fresh = 0x600000;
    (void)i;
    bench->frames[0].address = fresh++;
    return mt_define_stack(bench->trace, bench->frames, DEPTH);
}

static uint64_t short_stream(struct bench *bench, uint64_t i) {
    struct mt_lane *lane = mt_lane_acquire(bench->trace, (uint32_t)i);
    struct mt_event event = {.time_ns = mt_now_ns(), .api = 1};
    mt_write_free(lane, &event, i);
    mt_lane_release(lane);
    return i;
}

// The best of a few rounds: what the machine does when nothing disturbs it.
static double best_ns(struct bench *bench, operation_fn *operation, uint64_t count) {
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t sum = 0;
        uint64_t start_ns = mt_now_ns();
        for (uint64_t i = 0; i < count; i++) sum += operation(bench, i);
        double ns = (double)(mt_now_ns() - start_ns) / (double)count;
        __asm__ volatile("" : : "r"(sum)); // used, as far as the compiler knows
        if (ns < best) best = ns;
    }
    return best;
}

static int count_event(void *user, const struct mt_record_event *event) {
    *(uint64_t *)user += event->effect != MT_EFFECT_NONE;
    return 0;
}

static int print_reading(const char *path) {
    struct mt_reader *reader;
    uint32_t version;
    uint64_t events = 0;
    if (mt_reader_open(path, &reader, &version) != MT_OPEN_OK) return 1;
    uint64_t start_ns = mt_now_ns();
    mt_reader_events(reader, count_event, &events);
    double ns = (double)(mt_now_ns() - start_ns) / (double)events;
    printf("%-44s %9.1f\n", "read an event", ns);
    printf("%-44s %9.2f\n", "bytes an event", (double)mt_reader_event_bytes(reader) / (double)events);
    mt_reader_close(reader);
    return 0;
}

int main(void) {
    static const struct {
        const char *name;
        operation_fn *operation;
        uint64_t count;
    } rows[] = {
        {"empty loop", nothing, 5000000},
        {"memcpy of a record's size", copy_record, 5000000},
        {"read the clock", read_clock, 2000000},
        {"allocation", write_alloc, 1000000},
        {"free", write_free, 1000000},
        {"event with three tags", write_tags, 500000},
        {"find a known stack of 27 frames", known_stack, 1000000},
        {"clock + known stack + allocation", known_stack_and_alloc, 1000000},
        {"define a new stack that differs in one frame", new_stack, 100000},
        {"acquire a stream, one event, release", short_stream, 200000},
    };
    char folder[] = "/tmp/bench-tracer-XXXXXX", path[64];
    struct bench bench = {.time_ns = mt_now_ns()};
    if (mkdtemp(folder) == NULL) return 1;
    snprintf(path, sizeof path, "%s/trace.bin", folder);
    if (mt_trace_create(path, &bench.trace) != 0) return 1;
    bench.lane = mt_lane_acquire(bench.trace, 1);
    for (uint64_t i = 0; i < DEPTH; i++) bench.frames[i].address = 0x400000 + 64 * i;

    printf("%-44s %9s\n", "operation", "ns");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        printf("%-44s %9.1f\n", rows[i].name, best_ns(&bench, rows[i].operation, rows[i].count));
    mt_trace_finish(bench.trace);
    int failed = print_reading(path);
    unlink(path);
    rmdir(folder);
    return failed;
}
