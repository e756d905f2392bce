/*
 * backward() on PyTorch's own threads: the line that called it, where one does, and none where it may be either's.
 */
#include <dlfcn.h>
#include <libgen.h>
#include <unistd.h>

#include "tests/unit/scripts.h"
#include "viewer/views/views.h"

// The program's threads, and two of PyTorch's.
enum { MAIN, OTHER, ENGINE, ENGINE_TOO };

struct engine {
    struct script *script;
    uint64_t torch;                   // an address in its code
    uint32_t native;                  // a stack of a thread of PyTorch's
    uint32_t hook;                    // … that runs Python, as far as Python goes: the rest of it is not in the trace
    uint32_t nested;                  // … that calls backward() from there
    uint32_t caller, caller_on_other; // stacks that call it
};

static struct mt_frame python_frame(struct script *script, const char *function, unsigned line) {
    uint32_t code = mt_define_code(script->trace, function[0], function, "/home/me/train.py", 1);
    return (struct mt_frame){.address = (uint64_t)code << 32 | line, .line = line, .python = true};
}

// An address in a stand-in for PyTorch's library.
static uint64_t address_in_torch(void **state) {
    char self[512] = "", standin[600];
    assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
    snprintf(standin, sizeof(standin), "%s/standin_runtime.so", dirname(self));
    struct bytes bytes = bytes_read(standin);
    char *path = path_in(state, "libtorch_python.so");
    bytes_write(path, bytes.data, bytes.count);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) fail_msg("%s", dlerror());
    free(bytes.data);
    free(path);
    return (uintptr_t)dlsym(handle, "cudaMalloc") + 4;
}

// In the C library itself: a sanitizer has a qsort of its own.
static uint64_t address_in_libc(void) {
    void *handle = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(handle);
    return (uintptr_t)dlsym(handle, "qsort") + 4;
}

static struct engine engine_begin(void **state) {
    struct mt_frame torch = {.address = address_in_torch(state)}, libc = {.address = address_in_libc()};
    struct engine e = {.script = script_begin(state), .torch = torch.address};
    struct script *script = e.script;
    struct mt_frame native[] = {torch, libc};
    struct mt_frame nested[] = {torch, python_frame(script, "hook", 50), torch, libc};
    e.native = mt_define_stack(script->trace, native, 2);
    e.hook = script_stack(script, "hook /home/me/train.py:51", NULL);
    e.nested = mt_define_stack(script->trace, nested, 4);
    e.caller = script_stack(script, "backward /usr/lib/python3/dist-packages/torch/_tensor.py:9",
                            "main /home/me/train.py:7", NULL);
    e.caller_on_other = script_stack(script, "main /home/me/train.py:8", NULL);
    return e;
}

static void call(const struct engine *e, unsigned thread, uint32_t stack) {
    e->script->thread = thread;
    script_event(e->script, MT_EFFECT_BACKWARD, 0, stack, 0);
}

static void leave(const struct engine *e, unsigned thread) {
    e->script->thread = thread;
    script_event(e->script, MT_EFFECT_BACKWARD_ENDED, 0, 0, 0);
}

static void take(const struct engine *e, unsigned thread, uint64_t address, uint32_t stack) {
    e->script->thread = thread;
    script_alloc(e->script, e->script->malloc_api, address, 512, stack);
}

// The lines of the program that led to what was made at this address, outermost first.
static void expect_lines(struct mt_report *report, uint64_t address, const char *expected) {
    char lines[256] = "", line[32], outer[256];
    const struct mt_live *live = mt_model_find(report->end, MT_SPACE_ADDRESS, address);
    assert_non_null(live);
    for (uint32_t path = mt_stacks_site(report->stacks, live->stack)->path; path;) {
        struct mt_path at = mt_stacks_path(report->stacks, path);
        path = at.parent;
        if (!at.place->python) continue;
        snprintf(line, sizeof(line), "%u ", at.place->line);
        strcpy(outer, lines);
        assert_true(strlen(line) + strlen(outer) < sizeof(lines));
        stpcpy(stpcpy(lines, line), outer);
    }
    assert_string_equal(lines, expected);
}

static void test_a_nested_backward_leaves_the_outer_its_line(void **state) {
    struct engine e = engine_begin(state);
    call(&e, MAIN, e.caller);
    take(&e, ENGINE, 0x1000, e.native);
    call(&e, ENGINE, e.nested);
    take(&e, ENGINE, 0x2000, e.nested);
    leave(&e, ENGINE);
    take(&e, ENGINE, 0x3000, e.native);
    take(&e, ENGINE, 0x4000, e.hook);
    leave(&e, MAIN);
    struct mt_report *report = script_report(e.script);
    expect_lines(report, 0x1000, "7 ");
    expect_lines(report, 0x2000, "7 50 ");
    expect_lines(report, 0x3000, "7 ");
    expect_lines(report, 0x4000, "7 51 ");
    const struct mt_live *live = mt_model_find(report->end, MT_SPACE_ADDRESS, 0x4000);
    assert_string_equal(mt_stacks_site(report->stacks, live->stack)->user->function, "hook"); // not "hook (autograd)"
    script_close(e.script);
}

static void test_of_two_threads_in_backward_none_is_guessed(void **state) {
    struct engine e = engine_begin(state);
    call(&e, MAIN, e.caller);
    take(&e, ENGINE, 0x1000, e.native);
    call(&e, OTHER, e.caller_on_other);
    take(&e, ENGINE, 0x2000, e.native);
    leave(&e, MAIN);
    take(&e, ENGINE_TOO, 0x3000, e.native);
    leave(&e, OTHER);
    take(&e, ENGINE, 0x4000, e.native); // what the last one left behind
    call(&e, MAIN, e.caller);
    call(&e, OTHER, e.caller);
    take(&e, ENGINE, 0x5000, e.native); // either way it is the same line
    struct mt_report *report = script_report(e.script);
    expect_lines(report, 0x1000, "7 ");
    expect_lines(report, 0x2000, "");
    expect_lines(report, 0x3000, "8 ");
    expect_lines(report, 0x4000, "8 ");
    expect_lines(report, 0x5000, "7 ");
    script_close(e.script);
}

static void test_a_lost_end_does_not_keep_a_line_alive(void **state) {
    struct engine e = engine_begin(state);
    call(&e, MAIN, e.caller);
    take(&e, ENGINE, 0x1000, e.native);
    call(&e, MAIN, e.caller_on_other);
    take(&e, ENGINE, 0x2000, e.native);
    struct mt_report *report = script_report(e.script);
    expect_lines(report, 0x1000, "7 ");
    expect_lines(report, 0x2000, "8 ");
    script_close(e.script);
}

static void test_a_backward_within_one_on_the_same_thread_ends_first(void **state) {
    struct engine e = engine_begin(state);
    struct mt_frame torch = {.address = e.torch};
    struct mt_frame inner[] = {torch, python_frame(e.script, "inner", 60), torch, python_frame(e.script, "main", 7)};
    struct mt_frame outer[] = {torch, python_frame(e.script, "main", 7)};
    call(&e, MAIN, mt_define_stack(e.script->trace, outer, 2));
    call(&e, MAIN, mt_define_stack(e.script->trace, inner, 4));
    leave(&e, MAIN);
    call(&e, OTHER, e.caller_on_other);
    take(&e, ENGINE, 0x1000, e.native); // both are under way
    leave(&e, OTHER);
    take(&e, ENGINE, 0x2000, e.native);
    struct mt_report *report = script_report(e.script);
    expect_lines(report, 0x1000, "");
    expect_lines(report, 0x2000, "7 ");
    script_close(e.script);
}

static void test_what_python_does_in_backward_is_told_by_kinds(void **state) {
    struct engine e = engine_begin(state);
    uint32_t updates = script_stack(e.script, "step /usr/lib/python3/dist-packages/torch/optim/adam.py:9",
                                    "hook /home/me/train.py:51", NULL);
    uint32_t recomputes = script_stack(e.script, "forward /usr/lib/python3/dist-packages/torch/nn/modules/linear.py:9",
                                       "hook /home/me/train.py:51", NULL);
    call(&e, MAIN, e.caller);
    take(&e, ENGINE, 0x1000, e.native);
    take(&e, ENGINE, 0x2000, recomputes);
    take(&e, ENGINE, 0x3000, updates);
    script_free(e.script, e.script->free_api, 0x2000, e.native);
    leave(&e, MAIN);
    char *text = script_show(script_report(e.script), mt_view_kinds);
    assert_non_null(strstr(text, "  1  optimizer state: made by the optimizer, kept after it\n"));
    assert_non_null(strstr(text, "  1  temporary: made and gone within backward\n"));
    assert_non_null(strstr(text, "(each ends with a backward, since no optimizer was seen after it)"));
    free(text);
    script_close(e.script);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_a_nested_backward_leaves_the_outer_its_line),
        TEST(test_of_two_threads_in_backward_none_is_guessed),
        TEST(test_what_python_does_in_backward_is_told_by_kinds),
        TEST(test_a_lost_end_does_not_keep_a_line_alive),
        TEST(test_a_backward_within_one_on_the_same_thread_ends_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
