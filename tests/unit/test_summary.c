/*
 * The summary and the dump, as text.
 */
#include "tests/unit/scripts.h"
#include "viewer/analysis/notices.h"
#include "viewer/views/views.h"

#include <errno.h>
#include <unistd.h>

static void expect_line(const char *text, const char *line) {
    const char *at = strstr(text, line);
    if (!at || (at != text && at[-1] != '\n')) fail_msg("no line begins with '%s' in:\n%s", line, text);
}

static void test_the_process_is_described_by_its_facts(void **state) {
    struct script *script = script_begin(state);
    mt_define_fact(script->trace, "command", "./train --steps 5");
    mt_define_fact(script->trace, "host", "node7");
    mt_define_fact(script->trace, "rank", "3");
    mt_define_fact(script->trace, "world-size", "8");
    mt_define_fact(script->trace, "launcher", "torchrun");
    mt_define_fact(script->trace, "driver", "580.159.03");
    mt_define_fact(script->trace, "cuda", "13.0");
    mt_define_fact(script->trace, "feed", "cupti");
    mt_define_fact(script->trace, "ended", "exit");
    char *text = script_show(script_report(script), mt_view_summary), process[64];
    snprintf(process, sizeof(process), "  process            %d, rank 3 of 8 (torchrun)\n", (int)getpid());
    expect_line(text, "  command            ./train --steps 5\n");
    expect_line(text, "  host               node7\n");
    expect_line(text, process);
    expect_line(text, "  GPU 1              Test GPU, 16.0 GiB, GPU-01020300-0000-0000-0000-000000000000\n");
    expect_line(text, "  driver             580.159.03, CUDA 13.0\n");
    expect_line(text, "  feed               cupti\n");
    expect_line(text, "  trace              finished, by exit\n");
    expect_line(text, "  events             0\n");
    expect_line(text, "  lost events        0\n");
    free(text);
    script_close(script);
}

static void test_events_and_peaks_are_counted(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "create t.py:88", "main t.py:9", NULL);
    script_alloc(script, script->malloc_api, 0x1000, 3 * MIB, stack);
    script_alloc(script, script->pinned_api, 0x5000, 4096, stack);
    script_free(script, script->free_api, 0x1000, stack);
    script_free(script, script->free_api, 0x7000, stack);
    uint64_t said = mt_define_string(script->trace, "from cupti to hooks: another profiler subscribed");
    script_event(script, MT_EFFECT_HANDED_OVER, 0, 0, MT_TAG_TEXT, said, 0);
    char *text = script_show(script_report(script), mt_view_summary);
    expect_line(text, "  events             5 (allocated 2, freed 2, handed-over 1)\n");
    expect_line(text, "  unknown frees      1 of memory whose allocation is not in the trace\n");
    expect_line(text, "  note               from cupti to hooks: another profiler subscribed\n");
    expect_line(text, "\nDevice 0 (Test GPU)\n");
    expect_line(text, "  peak of use        3,145,728 bytes (3.00 MiB) after 0.000 s, by t.py:88 create\n");
    expect_line(text, "    live at the end  0 bytes in 0 allocations\n");
    expect_line(text, "    ever allocated   3,145,728 bytes in 1 allocation\n");
    expect_line(text, "\nHost memory (pinned, registered, managed)\n");
    expect_line(text, "  peak               4,096 bytes (4.00 KiB) after 0.000 s, by t.py:88 create\n");
    free(text);
    script_close(script);
}

static void test_failed_calls_say_what_was_asked_for_and_what_was_live(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "grow t.py:5", "main t.py:9", NULL);
    script_event(script, MT_EFFECT_SAMPLED, 0, 0, MT_TAG_DEVICE, (uint64_t)0, MT_TAG_USED, 500 * MIB, 0);
    script_alloc(script, script->malloc_api, 0x1000, MIB, stack);
    for (int i = 0; i < 3; i++)
        script_event(script, MT_EFFECT_FAILED, script->malloc_api, stack, MT_TAG_RESULT, (uint64_t)2, MT_TAG_BYTES,
                     (uint64_t)256 << 30, 0);
    script_event(script, MT_EFFECT_FAILED, script->free_api, stack, MT_TAG_RESULT, (uint64_t)1, MT_TAG_ADDRESS,
                 (uint64_t)0xbad, 0);
    char *text = script_show(script_report(script), mt_view_summary);
    expect_line(text,
                "\nFailed calls: 4\n"
                "  cuMemAlloc of 274,877,906,944 bytes (256.0 GiB): CUDA_ERROR_OUT_OF_MEMORY (2), after 0.000 s, "
                "and 2 times more\n"
                "    at t.py:5 grow < t.py:9 main\n"
                "    device 0: 1,048,576 bytes (1.00 MiB) were live, 526,385,152 bytes of device memory in use of "
                "17,179,869,184\n"
                "    live:             1,048,576    1.00 MiB  t.py:5 grow\n"
                "  cuMemFree of 0xbad: CUDA_ERROR_INVALID_VALUE (1), after 0.000 s\n"
                "    at t.py:5 grow < t.py:9 main\n"
                "\n");
    free(text);
    script_close(script);
}

static void sample(struct script *script, enum mt_sample_source source, uint64_t used) {
    script_event(script, MT_EFFECT_SAMPLED, script->malloc_api, 0, MT_TAG_DEVICE, (uint64_t)0, MT_TAG_USED, used,
                 MT_TAG_TOTAL, 1000 * MIB, MT_TAG_SAMPLE_SOURCE, (uint64_t)source, 0);
}

static void test_the_room_at_the_peak_is_what_neither_we_nor_others_had(void **state) {
    struct script *script = script_begin(state);
    sample(script, MT_SAMPLE_DEVICE, 400 * MIB);
    sample(script, MT_SAMPLE_PROCESS, 300 * MIB); // others have 100
    sample(script, MT_SAMPLE_DEVICE, 650 * MIB);
    sample(script, MT_SAMPLE_DEVICE, 500 * MIB);
    char *text = script_show(script_report(script), mt_view_summary);
    expect_line(text, "  device memory      576,716,800 bytes (550.0 MiB) at its peak, 419,430,400 at the end, as "
                      "measured for this process\n"
                      "  room               367,001,600 bytes (350.0 MiB) of 1,048,576,000 were free even then\n");
    free(text);
    script_close(script);
}

static void test_the_dump_has_a_line_for_every_event(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "create t.py:88", "main t.py:9", NULL);
    struct mt_launch_shape shape = {.grid = {2, 1, 1}, .block = {256, 1, 1}, .shared_bytes = 64};
    shape.kernel = mt_define_kernel(script->trace, "_Z4reluPfi");
    uint32_t launch_api = mt_define_api(script->trace, "cuLaunchKernel", MT_EFFECT_LAUNCHED, MT_MEMORY_NONE);
    uint32_t text_id = mt_define_string(script->trace, "forward");
    script_alloc(script, script->malloc_api, 0x7f001000, 4096, stack);
    script_event(script, MT_EFFECT_RANGE_PUSHED, 0, 0, MT_TAG_TEXT, (uint64_t)text_id, 0);
    script->cuda_stream = 0x20;
    struct mt_event launch = {.time_ns = script->start_ns + 5000, .api = launch_api, .context = 1, .stream = 0x20};
    mt_write_launch(script->streams[0], &launch, mt_define_launch(script->trace, &shape));
    char *text = script_show(script_report(script), mt_view_dump);
    // The seconds count from the file's own beginning, a little before the script's.
    assert_non_null(strstr(text, " 1000 allocated cuMemAlloc_v2 address=0x7f001000 bytes=4096 context=1 | "
                                 "t.py:88 create < t.py:9 main\n"));
    assert_non_null(strstr(text, " 1000 range-pushed - text=\"forward\" context=1\n"));
    assert_non_null(strstr(text,
                           " 1000 launched cuLaunchKernel context=1 stream=0x20 grid=2,1,1 block=256,1,1 shared=64 "
                           "kernel=relu\n"));
    free(text);
    script_close(script);
}

// The summary of a trace of one event, whose header a change has been made to.
static char *summary_after(void **state, void (*change)(struct mt_file_header *header)) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x1000, MIB, 0);
    mt_trace_finish(script->trace);
    struct bytes file = bytes_read(script->path);
    change((struct mt_file_header *)file.data);
    bytes_write(script->path, file.data, file.count);
    char *text = script_show(script_report(script), mt_view_summary);
    free(file.data);
    script_close(script);
    return text;
}

static void buffer(struct mt_file_header *header) {
    header->storage = MT_STORAGE_BUFFERED;
}

static void buffer_and_kill(struct mt_file_header *header) {
    header->storage = MT_STORAGE_BUFFERED;
    header->state = MT_STATE_WRITING;
}

static void test_a_buffered_file_is_said_to_be_one(void **state) {
    char *text = summary_after(state, buffer);
    expect_line(text, "  storage            buffered, as the file could not be reserved and mapped\n");
    free(text);
    text = summary_after(state, buffer_and_kill);
    expect_line(text, "  trace              not finished: the process was killed, or still runs\n"
                      "  storage            buffered, as the file could not be reserved and mapped: what was not yet "
                      "written out is missing\n");
    free(text);
}

static void lose(struct mt_file_header *header) {
    header->lost_events = 7;
    header->lost_definitions = 2;
    header->lost_errno = ENOSPC;
}

static void lose_unseen(struct mt_file_header *header) {
    header->lost_errno = EDQUOT;
}

static void show_notices(struct mt_report *report, FILE *out) {
    assert_int_equal(mt_notices(NULL, "", report), mt_notices(out, "", report));
}

static void expect_notices(void **state, const char *key, const char *value, const char *expected) {
    struct script *script = script_begin(state);
    mt_define_fact(script->trace, key, value);
    char *text = script_show(script_report(script), show_notices);
    assert_string_equal(text, expected);
    free(text);
    script_close(script);
}

static void test_what_was_not_seen_is_said_ahead_of_a_view(void **state) {
    expect_notices(state, "python-declined", "CPython 3.6.15: unknown version",
                   "Incomplete: the call stacks have no Python lines: CPython 3.6.15: unknown version\n\n");
    expect_notices(state, "unwinder", "none: no tables were found",
                   "Incomplete: there are no native call stacks: none: no tables were found\n\n");
    expect_notices(state, "feed-lost", "CUPTI gave up",
                   "Incomplete: the end is missing: CUPTI gave up, and what followed was not seen\n\n");
    expect_notices(state, "unwinder", "none: switched off", "");
    expect_notices(state, "unwinder", "unwind tables", "");
}

static void lose_late(struct mt_file_header *header) {
    header->lost_events = 3;
    header->lost_errno = ESHUTDOWN;
}

static void test_events_after_the_end_are_told_in_words(void **state) {
    char *text = summary_after(state, lose_late);
    expect_line(text, "  lost events        3: threads went on after the trace had ended, as the process exited\n");
    free(text);
}

static void test_tensors_on_the_cpu_are_a_figure_of_their_own(void **state) {
    struct script *script = script_begin(state);
    uint32_t cpu = mt_define_api(script->trace, "torch cpu malloc", MT_EFFECT_ALLOCATED, MT_MEMORY_TENSOR_CPU);
    script_alloc(script, cpu, 0x1000, 4096, script_stack(script, "load t.py:5", NULL));
    char *text = script_show(script_report(script), mt_view_summary);
    expect_line(text, "A framework's tensors on the CPU, in no other figure\n"
                      "  peak               4,096 bytes (4.00 KiB) after 0.000 s, by t.py:5 load\n"
                      "    live at the end  4,096 bytes (4.00 KiB) in 1 allocation\n");
    free(text);
    script_close(script);
}

static void test_losses_are_told_with_their_reason(void **state) {
    char *text = summary_after(state, lose);
    expect_line(text, "  lost events        7: No space left on device\n  lost definitions   2");
    free(text);
    text = summary_after(state, lose_unseen);
    expect_line(text, "  lost events        an unknown number: Disk quota exceeded\n");
    free(text);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_the_process_is_described_by_its_facts),
        TEST(test_events_and_peaks_are_counted),
        TEST(test_failed_calls_say_what_was_asked_for_and_what_was_live),
        TEST(test_the_room_at_the_peak_is_what_neither_we_nor_others_had),
        TEST(test_the_dump_has_a_line_for_every_event),
        TEST(test_a_buffered_file_is_said_to_be_one),
        TEST(test_what_was_not_seen_is_said_ahead_of_a_view),
        TEST(test_events_after_the_end_are_told_in_words),
        TEST(test_tensors_on_the_cpu_are_a_figure_of_their_own),
        TEST(test_losses_are_told_with_their_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
