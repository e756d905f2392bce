/*
 * The Python feed against an imitation of CPython: 3.14, which describes itself, and states in which a reader that
 * trusts what it finds would crash. Each test runs in a process of its own, since the feed settles on one interpreter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/guard.h"
#include "preload/python/frames.h"
#include "preload/real_dlsym.h"
#include "tests/fakes/cpython.h"
#include "tests/fakes/recorder.h"

static int some_trace;

// The structures of 3.14, as _PyRuntime will describe them; the offsets are not those of any real build.
enum {
    STATE_FRAME = 80,
    FRAME_CODE = 0,
    FRAME_PREVIOUS = 8,
    FRAME_INSTRUCTION = 56,
    FRAME_OWNER = 74,
    CODE_FIRST_LINE = 68,
    CODE_FILENAME = 112,
    CODE_NAME = 120,
    CODE_LINES = 136,
    CODE_BYTECODE = 208,
    OWNED_BY_INTERPRETER = 3,
};

enum { TEXT_BYTES = 1000 };

static void describe_3_14(void) {
    static const struct {
        int word;
        uint64_t value;
    } words[] = {
        {1, 0x030e00f0},      // version 3.14.0 final
        {2, 0},               // not free-threaded
        {26, STATE_FRAME},    // thread_state.current_frame
        {32, FRAME_PREVIOUS}, // interpreter_frame
        {33, FRAME_CODE},
        {34, FRAME_INSTRUCTION},
        {36, FRAME_OWNER},
        {40, CODE_FILENAME}, // code_object
        {41, CODE_NAME},
        {43, CODE_LINES},
        {44, CODE_FIRST_LINE},
        {48, CODE_BYTECODE},
        {75, 16}, // bytes_object.ob_size, ob_sval
        {76, 32},
        {78, 32}, // unicode_object.state, length, asciiobject_size
        {79, 16},
        {80, 40},
    };
    fake_version = "3.14.0 (main, Oct  7 2025, 10:00:00) [GCC 14.2.0]";
    memcpy(_PyRuntime, "xdebugpy", 8);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) _PyRuntime[words[i].word] = words[i].value;
}

struct code {
    uint64_t object[32];
    uint64_t name[16], file[16], lines[16];
};

struct frame {
    uint64_t words[12];
};

static void set(void *object, size_t offset, const void *value) {
    memcpy((char *)object + offset, &value, sizeof value);
}

static void make_ascii(uint64_t *object, const char *text) {
    uint64_t length = strlen(text);
    uint32_t state = (1 | 8 | 16) << 16; // kind 1, compact, ascii; 16 bits of interning state below
    memcpy((char *)object + 16, &length, 8);
    memcpy((char *)object + 32, &state, 4);
    memcpy((char *)object + 40, text, length);
}

static void make_code(struct code *code, const char *name, const char *file, int first_line) {
    static const uint8_t lines[] = {0xe8, 2, 0xe8, 2, 0xe8, 2}; // a line an instruction, from first_line + 1 on
    uint64_t size = sizeof lines;
    memset(code, 0, sizeof *code);
    make_ascii(code->name, name);
    make_ascii(code->file, file);
    memcpy((char *)code->lines + 16, &size, 8);
    memcpy((char *)code->lines + 32, lines, sizeof lines);
    set(code->object, 8, PyCode_Type);
    set(code->object, CODE_NAME, code->name);
    set(code->object, CODE_FILENAME, code->file);
    set(code->object, CODE_LINES, code->lines);
    memcpy((char *)code->object + CODE_FIRST_LINE, &first_line, 4);
}

static void make_frame(struct frame *frame, const struct code *code, int instruction, const struct frame *previous) {
    memset(frame, 0, sizeof *frame);
    set(frame, FRAME_CODE, (const char *)code->object + 1); // a reference carries a tag in its low bits
    set(frame, FRAME_PREVIOUS, previous);
    set(frame, FRAME_INSTRUCTION, (const char *)code->object + CODE_BYTECODE + 2 * instruction);
}

static void make_shim(struct frame *frame, const struct frame *previous) {
    memset(frame, 0, sizeof *frame);
    set(frame, FRAME_PREVIOUS, previous);
    ((uint8_t *)frame)[FRAME_OWNER] = OWNED_BY_INTERPRETER;
}

// A thread in layer(), called by train() through one run of the loop, and that by the module through another.
static struct code layer, train, module;
static struct frame frames[5];
static uint64_t thread_state[16];

static void make_thread(void) {
    describe_3_14();
    make_code(&layer, "layer", "net.py", 10);
    make_code(&train, "train", "train.py", 20);
    make_code(&module, "<module>", "train.py", 0);
    make_frame(&frames[0], &layer, 0, &frames[1]);
    make_frame(&frames[1], &train, 2, &frames[2]);
    make_shim(&frames[2], &frames[3]);
    make_frame(&frames[3], &module, 1, &frames[4]);
    make_shim(&frames[4], NULL);
    set(thread_state, STATE_FRAME, &frames[0]);
    fake_thread_state = thread_state;
    fake_initialized = 1;
}

static const char *start(void) {
    fake_recorder_reset(true);
    mt_python_start((struct mt_trace *)&some_trace);
    return fake_recorder_take();
}

// An address inside the imitation of the loop.
static uint64_t in_loop(void) {
    return (uint64_t)(uintptr_t)_PyEval_EvalFrameDefault + 2;
}

// The stack of native addresses 0x11, loop, 0x22, loop, 0x33 as the feed rewrites it.
static void rewrite(void *argument) {
    char *text = argument;
    struct mt_frame stack[64] = {
        {.address = 0x11}, {.address = in_loop()}, {.address = 0x22}, {.address = in_loop()}, {.address = 0x33}};
    size_t count = mt_python_rewrite(stack, 5, 64);
    mt_python_lines(stack, count);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(text);
        if (stack[i].python) {
            snprintf(text + used, TEXT_BYTES - used, "%s:%u, ", fake_recorder_name(stack[i].address >> 32),
                     stack[i].line);
        } else if (stack[i].address == in_loop()) {
            snprintf(text + used, TEXT_BYTES - used, "loop, ");
        } else {
            snprintf(text + used, TEXT_BYTES - used, "%x, ", (unsigned)stack[i].address);
        }
    }
}

static const char *rewritten(void) {
    static char text[TEXT_BYTES];
    mt_guarded(rewrite, text);
    return text;
}

#define UNCHANGED "11, loop, 22, loop, 33, "

// Runs a scenario in a child; it has passed if the child exits with 0.
static void in_a_process(void (*scenario)(void)) {
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        scenario();
        _Exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

// In a child, where cmocka's assertions can't report.
static void expect(const char *got, const char *wanted) {
    if (strcmp(got, wanted) == 0) return;
    fprintf(stderr, "got    %s\nwanted %s\n", got, wanted);
    _Exit(1);
}

#define TEST(name)                                                                                                     \
    static void name##_scenario(void);                                                                                 \
    static void name(void **state) {                                                                                   \
        (void)state;                                                                                                   \
        in_a_process(name##_scenario);                                                                                 \
    }                                                                                                                  \
    static void name##_scenario(void)

TEST(python_3_14_describes_itself) {
    make_thread();
    expect(start(), "fact python=3.14.0\n");
    expect(rewritten(), "11, layer net.py:11, train train.py:23, 22, <module> train.py:2, 33, ");
}

TEST(an_empty_run_of_the_loop_is_one) {
    make_thread();
    start();
    // The innermost frame has returned and is being cleared: its run's shim is on top.
    struct frame shim;
    make_shim(&shim, &frames[3]);
    set(thread_state, STATE_FRAME, &shim);
    expect(rewritten(), "11, 22, <module> train.py:2, 33, ");
}

TEST(frames_without_a_native_counterpart_are_kept) {
    make_thread();
    start();
    struct mt_frame stack[8] = {{.address = 0x11}, {.address = in_loop()}};
    if (mt_python_rewrite(stack, 2, 8) != 4 || !stack[3].python) _Exit(1);
}

TEST(what_does_not_fit_is_left_out) {
    make_thread();
    start();
    struct mt_frame stack[3] = {{.address = 0x11}, {.address = in_loop()}, {.address = 0x22}};
    if (mt_python_rewrite(stack, 3, 2) != 2 || stack[0].address != 0x11 || !stack[1].python) _Exit(1);
}

TEST(a_thread_without_python_stays_native) {
    make_thread();
    start();
    fake_thread_state = NULL;
    expect(rewritten(), UNCHANGED);
}

TEST(finalization_ends_python_frames) {
    make_thread();
    start();
    fake_initialized = 0;
    expect(rewritten(), UNCHANGED);
}

TEST(sub_interpreters_are_declined_while_they_exist) {
    make_thread();
    start();
    fake_head = &frames;
    expect(rewritten(), UNCHANGED);
    expect(rewritten(), UNCHANGED);
    expect(fake_recorder_take(), "fact python-declined=while there were sub-interpreters\n");
    fake_head = &fake_head;
    expect(rewritten(), "11, layer net.py:11, train train.py:23, 22, <module> train.py:2, 33, ");
}

TEST(a_free_threaded_build_is_declined) {
    make_thread();
    _PyRuntime[2] = 1;
    expect(start(), "fact python-declined=CPython 3.14.0: free-threaded build\n");
    expect(rewritten(), UNCHANGED);
}

TEST(a_free_threaded_version_is_declined) {
    make_thread();
    fake_version = "3.13.1 experimental free-threading build (main, Dec 2024) [GCC]";
    expect(start(), "fact python-declined=CPython 3.13.1: free-threaded build\n");
}

TEST(an_unknown_version_is_declined) {
    make_thread();
    fake_version = "3.99.0 (main, Oct  1 2099) [GCC]";
    expect(start(), "fact python-declined=CPython 3.99.0: unknown version\n");
    expect(rewritten(), UNCHANGED);
}

static void *without_main_interpreter(void *handle, const char *name) {
    return strcmp(name, "PyInterpreterState_Main") == 0 ? NULL : dlsym(handle, name);
}

TEST(a_version_without_all_of_the_interface_is_named) {
    make_thread();
    mt_dlsym_libc = without_main_interpreter;
    fake_version = "3.6.15 (default, Nov 29 2021) [GCC]";
    expect(start(), "fact python-declined=CPython 3.6.15: unknown version\n");
}

TEST(an_incomplete_interface_is_declined) {
    make_thread();
    mt_dlsym_libc = without_main_interpreter;
    expect(start(), "fact python-declined=CPython 3.14.0: incomplete interface\n");
}

TEST(an_alpha_is_declined) {
    make_thread();
    fake_version = "3.14.0a4+ (main) [GCC]";
    expect(start(), "fact python-declined=CPython 3.14.0a4+: unknown version\n");
}

TEST(a_description_of_another_version_is_declined) {
    make_thread();
    _PyRuntime[1] = 0x030d00f0;
    expect(start(), "fact python-declined=CPython 3.14.0: debug offsets of another version in _PyRuntime\n");
}

TEST(a_missing_description_is_declined) {
    make_thread();
    memset(_PyRuntime, 0, 8);
    expect(start(), "fact python-declined=CPython 3.14.0: no debug offsets in _PyRuntime\n");
}

TEST(an_absurd_description_is_declined) {
    make_thread();
    _PyRuntime[41] = 1u << 20;
    expect(start(), "fact python-declined=CPython 3.14.0: implausible debug offsets in _PyRuntime\n");
}

TEST(a_corrupt_thread_state_is_refused) {
    static void *const bad[] = {(void *)0x1000, (void *)0x7ffffffff000, (void *)UINTPTR_MAX, (void *)7};
    make_thread();
    start();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        fake_thread_state = bad[i];
        expect(rewritten(), UNCHANGED);
        fake_thread_state = thread_state;
        set(thread_state, STATE_FRAME, bad[i]);
        expect(rewritten(), UNCHANGED);
    }
}

TEST(a_chain_is_followed_as_far_as_it_is_sound) {
    make_thread();
    start();
    set(&frames[1], FRAME_PREVIOUS, (void *)0xdead0000);
    expect(rewritten(), "11, layer net.py:11, train train.py:23, 22, 33, ");
    set(&frames[1], FRAME_CODE, thread_state); // no code object
    expect(rewritten(), "11, layer net.py:11, 22, 33, ");
    set(&frames[1], FRAME_CODE, train.object);
    set(train.object, CODE_NAME, (void *)0xdead0000);
    ((uint8_t *)train.object)[92] = 1; // another version, so that it is looked at again
    expect(rewritten(), "11, layer net.py:11, 22, 33, ");
}

TEST(a_circular_chain_ends) {
    make_thread();
    start();
    set(&frames[1], FRAME_PREVIOUS, &frames[0]);
    struct mt_frame stack[256] = {{.address = 0x11}, {.address = in_loop()}};
    if (mt_python_rewrite(stack, 2, 256) != 256) _Exit(1);
    make_shim(&frames[0], &frames[0]);
    if (mt_python_rewrite(stack, 2, 256) > 256) _Exit(1);
}

TEST(bad_line_tables_give_the_first_line) {
    make_thread();
    set(layer.object, CODE_LINES, (void *)0xdead0000);
    uint64_t huge = UINT64_MAX / 2;
    memcpy((char *)train.lines + 16, &huge, 8);
    start();
    expect(rewritten(), "11, layer net.py:10, train train.py:20, 22, <module> train.py:2, 33, ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(python_3_14_describes_itself),
        cmocka_unit_test(an_empty_run_of_the_loop_is_one),
        cmocka_unit_test(frames_without_a_native_counterpart_are_kept),
        cmocka_unit_test(what_does_not_fit_is_left_out),
        cmocka_unit_test(a_thread_without_python_stays_native),
        cmocka_unit_test(finalization_ends_python_frames),
        cmocka_unit_test(sub_interpreters_are_declined_while_they_exist),
        cmocka_unit_test(a_free_threaded_build_is_declined),
        cmocka_unit_test(a_free_threaded_version_is_declined),
        cmocka_unit_test(an_unknown_version_is_declined),
        cmocka_unit_test(a_version_without_all_of_the_interface_is_named),
        cmocka_unit_test(an_incomplete_interface_is_declined),
        cmocka_unit_test(an_alpha_is_declined),
        cmocka_unit_test(a_description_of_another_version_is_declined),
        cmocka_unit_test(a_missing_description_is_declined),
        cmocka_unit_test(an_absurd_description_is_declined),
        cmocka_unit_test(a_corrupt_thread_state_is_refused),
        cmocka_unit_test(a_chain_is_followed_as_far_as_it_is_sound),
        cmocka_unit_test(a_circular_chain_ends),
        cmocka_unit_test(bad_line_tables_give_the_first_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
