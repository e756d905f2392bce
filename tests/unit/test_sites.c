/*
 * Which frame of a call stack a person would point at, and which call it was. Frames are Python ones, addresses of this
 * very program (the "main executable", with debugging information), and of stand-ins for the CUDA libraries.
 */
#include "tests/unit/scripts.h"
#include "viewer/analysis/by.h"
#include "viewer/symbols/modules.h"
#include "viewer/symbols/places.h"
#include "viewer/views/views.h"

#include <dlfcn.h>
#include <libgen.h>
#include <unistd.h>

#define LIBRARY_PYTHON "/usr/lib/python3/dist-packages/torch/nn.py"

static void expect_line(const char *text, const char *end_of_line) {
    if (!strstr(text, end_of_line)) fail_msg("no '%s' in:\n%s", end_of_line, text);
}

static void expect_user(struct script *script, uint32_t stack, const char *expected) {
    struct mt_report *report = script_report(script);
    assert_string_equal(mt_place_text(mt_stacks_site(report->stacks, stack)->user).text, expected);
    script_close(script);
}

static void test_the_innermost_line_of_the_programs_own_python_counts(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "linear " LIBRARY_PYTHON ":7", "forward /home/me/net.py:21",
                                  "step <string>:1", "main /home/me/train.py:99", NULL);
    expect_user(script, stack, "net.py:21 forward");
}

static void test_a_kernel_is_launched_by_the_line_that_calls_it(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "__device_stub__Z4reluPf " LIBRARY_PYTHON ":3", "relu /home/me/net.cu:17",
                                  "forward /home/me/net.cu:40", "main /home/me/net.cu:99", NULL);
    expect_user(script, stack, "net.cu:40 forward");
}

static void test_what_was_typed_in_is_own_where_no_file_is(void **state) {
    static const char *const typed[] = {"main <string>:2", "main <stdin>:2", "main <python-input-7>:2",
                                        "main <ipython-input-3-0b2f>:2"};
    static const char *const expected[] = {"<string>:2 main", "<stdin>:2 main", "<python-input-7>:2 main",
                                           "<ipython-input-3-0b2f>:2 main"};
    for (size_t i = 0; i < 4; i++) {
        struct script *script = script_begin(state);
        expect_user(script, script_stack(script, "linear " LIBRARY_PYTHON ":7", typed[i], NULL), expected[i]);
    }
}

static void test_frozen_modules_are_a_library(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "linear " LIBRARY_PYTHON ":7", "run <frozen runpy>:99", NULL);
    expect_user(script, stack, "nn.py:7 linear");
}

static void test_without_own_code_the_innermost_library_counts(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "linear " LIBRARY_PYTHON ":7", "run " LIBRARY_PYTHON ":99", NULL);
    expect_user(script, stack, "nn.py:7 linear");
}

static void test_user_code_narrows_what_is_own(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "alloc /home/me/wrap.py:7", "main /home/me/train.py:99", NULL);
    script_options.user_code = "train*";
    expect_user(script, stack, "train.py:99 main");
}

static void test_user_code_that_matches_nothing_changes_nothing(void **state) {
    struct script *script = script_begin(state);
    uint32_t stack = script_stack(script, "alloc /home/me/wrap.py:7", "main /home/me/train.py:99", NULL);
    script_options.user_code = "*.rs";
    expect_user(script, stack, "wrap.py:7 alloc");
}

static void test_files_of_one_name_are_told_by_their_folders(void **state) {
    struct script *script = script_begin(state);
    script_alloc(script, script->malloc_api, 0x200000, 4096, script_stack(script, "make /home/me/pa/utils.py:4", NULL));
    script_alloc(script, script->malloc_api, 0x400000, 8192, script_stack(script, "make /home/me/pb/utils.py:4", NULL));
    char *text = script_show(script_report(script), mt_view_live);
    expect_line(text, "  1  pa/utils.py:4 make\n");
    expect_line(text, "  1  pb/utils.py:4 make\n");
    free(text);
    script_close(script);
}

static void test_functions_of_one_name_are_told_by_their_files(void **state) {
    struct script *script = script_begin(state);
    uint32_t lines[] = {
        script_stack(script, "forward /home/me/net.py:4", NULL),
        script_stack(script, "forward /home/me/loss.py:4", NULL),
        script_stack(script, "forward /home/me/loss.py:5", NULL),
    };
    for (uint64_t i = 0; i < 3; i++) script_alloc(script, script->malloc_api, (i + 1) << 20, 4096, lines[i]);
    script_options.by = mt_by_find("function");
    char *text = script_show(script_report(script), mt_view_live);
    expect_line(text, "  2  loss.py forward\n");
    expect_line(text, "  1  net.py forward\n");
    free(text);
    script_close(script);
}

static void expect_names(const char *const paths[][2], const char *const *expected, size_t count) {
    struct mt_file_names *names = mt_file_names_new();
    const struct mt_file_name *found[8];
    for (size_t i = 0; i < count; i++) {
        found[i] = mt_file_name(names, paths[i][0], paths[i][1]);
        mt_file_name_show(names, found[i]);
    }
    for (size_t i = 0; i < count; i++) assert_string_equal(found[i]->text, expected[i]);
    mt_file_names_free(names);
}

static void test_a_file_has_one_name_however_its_path_is_written(void **state) {
    (void)state;
    static const char *const paths[][2] = {
        {NULL, "/home/me/src/net.cu"}, {"/home/me/build", "../src//net.cu"}, {"/home/me", "./src/net.cu"}};
    static const char *const expected[] = {"net.cu", "net.cu", "net.cu"};
    expect_names(paths, expected, 3);
}

static void test_as_many_folders_are_shown_as_it_takes(void **state) {
    (void)state;
    static const char *const paths[][2] = {{NULL, "/a/x/src/net.py"}, {NULL, "/a/y/src/net.py"},
                                           {NULL, "/net.py"},         {NULL, "/a/x/src/loss.py"},
                                           {"/a", "<stdin>"},         {NULL, "../../net.py"}};
    static const char *const expected[] = {"x/src/net.py", "y/src/net.py", "/net.py",
                                           "loss.py",      "<stdin>",      "../../net.py"};
    expect_names(paths, expected, 6);
}

static void test_a_stack_that_is_not_known_is_unknown(void **state) {
    struct script *script = script_begin(state);
    expect_user(script, 4711, "unknown");
}

// An address inside a function of a stand-in, loaded under the name of a CUDA library.
static uint64_t address_in(void **state, const char *library) {
    char self[512] = "";
    assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
    char *source = NULL;
    assert_true(asprintf(&source, "%s/standin_runtime.so", dirname(self)) > 0);
    struct bytes bytes = bytes_read(source);
    char *path = path_in(state, library);
    bytes_write(path, bytes.data, bytes.count);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(handle);
    uint64_t address = (uintptr_t)dlsym(handle, "cudaMalloc");
    assert_true(address != 0);
    free(bytes.data);
    free(source);
    free(path);
    return address + 4;
}

__attribute__((noinline)) static uint64_t here(void) {
    return (uintptr_t)__builtin_return_address(0);
}

static void test_the_runtimes_call_and_the_programs_line_are_named(void **state) {
    uint64_t driver = address_in(state, "libcuda.so.1"), runtime = address_in(state, "libcudart.so.13");
    uint64_t program = here();
    int line = __LINE__ - 1;
    struct script *script = script_begin(state);
    struct mt_frame frames[] = {{.address = driver}, {.address = runtime}, {.address = program}};
    uint32_t by_runtime = mt_define_stack(script->trace, frames, 3);
    struct mt_frame direct[] = {{.address = driver}, {.address = program}};
    uint32_t by_driver = mt_define_stack(script->trace, direct, 2);
    uint32_t malloc_api = script->malloc_api, async_api = script->async_api;
    struct mt_report *report = script_report(script);

    const struct mt_site *site = mt_stacks_site(report->stacks, by_runtime);
    assert_string_equal(site->user->function, "test_the_runtimes_call_and_the_programs_line_are_named");
    assert_int_equal(site->user->line, line);
    assert_ptr_equal(site->origin, site->user);
    assert_string_equal(mt_stacks_api(report->stacks, by_runtime, malloc_api), "cudaMalloc");
    assert_string_equal(mt_stacks_api(report->stacks, by_driver, malloc_api), "cuMemAlloc");
    assert_string_equal(mt_stacks_api(report->stacks, by_driver, async_api), "cuMemAllocAsync");
    script_close(script);
}

// Of a thread of backward() whose code is in a library that is not here any more.
static void test_a_library_without_symbols_is_shown_once(void **state) {
    uint64_t torch = address_in(state, "libtorch_cpu.so");
    struct script *script = script_begin(state);
    struct mt_frame frame = {.address = torch};
    uint32_t engine = mt_define_stack(script->trace, &frame, 1);
    uint32_t caller = script_stack(script, "main /home/me/train.py:9", NULL);
    char *library = path_in(state, "libtorch_cpu.so");
    unlink(library);
    script_event(script, MT_EFFECT_BACKWARD, 0, caller, 0);
    script->thread = 1;
    script_alloc(script, script->malloc_api, 0x200000, 512, engine);
    script_options.user_code = "libtorch_*";
    char *text = script_show(script_report(script), mt_view_live);
    char *line = strstr(text, "libtorch_cpu.so+0x");
    assert_non_null(line);
    assert_ptr_equal(strchr(line, ' '), strstr(line, " (autograd)\n"));
    free(text);
    free(library);
    script_close(script);
}

static void push(struct script *script, unsigned thread, uint32_t stack) {
    script->thread = thread;
    script_event(script, MT_EFFECT_RANGE_PUSHED, 0, stack, 0);
}

static void pop(struct script *script, unsigned thread) {
    script->thread = thread;
    script_event(script, MT_EFFECT_RANGE_POPPED, 0, 0, 0);
}

static void take(struct script *script, unsigned thread, uint64_t address, uint32_t stack) {
    script->thread = thread;
    script_alloc(script, script->malloc_api, address, 512, stack);
}

// Threads 0 and 1 are the program's, 2 is a library's. A range with a stack says that its thread has XLA compile.
static void test_what_xla_tries_out_stands_at_the_line_that_compiles(void **state) {
    uint64_t xla = address_in(state, "xla_cuda_plugin.so"), other = address_in(state, "libnccl.so.2");
    struct script *script = script_begin(state);
    struct mt_frame in_xla = {.address = xla}, in_nccl = {.address = other};
    uint32_t trial = mt_define_stack(script->trace, &in_xla, 1), nccl = mt_define_stack(script->trace, &in_nccl, 1);
    uint32_t code = mt_define_code(script->trace, 7, "step", "/home/me/train.py", 1);
    struct mt_frame compile[] = {{.address = xla}, {.address = (uint64_t)code << 32, .line = 9, .python = true}};
    uint32_t compiles = mt_define_stack(script->trace, compile, 2);

    push(script, 0, compiles);
    push(script, 0, 0);
    take(script, 2, 0x200000, trial); // 1: for line 9
    take(script, 2, 0x400000, nccl);  // 2: for nobody, though it is no Python thread
    pop(script, 0);
    take(script, 2, 0x600000, trial); // 3: for line 9
    push(script, 1, compiles);
    take(script, 2, 0x800000, trial); // 4: for one of the two
    pop(script, 1);
    pop(script, 0);
    take(script, 2, 0xa00000, trial); // 5: nobody compiles
    char *text = script_show(script_report(script), mt_view_live);
    expect_line(text, "  2  train.py:9 step (XLA) (xla_cuda_plugin.so)\n");
    expect_line(text, "  3  standin_runtime.c:");
    free(text);
    script_close(script);
}

static void test_python_without_symbols_is_at_its_exit_when_no_line_follows(void **state) {
    uint64_t python = address_in(state, "libpython3.so");
    struct script *script = script_begin(state);
    struct mt_frame early = {.address = python}, late = {.address = python + 1};
    uint32_t outside = mt_define_stack(script->trace, &early, 1), last = mt_define_stack(script->trace, &late, 1);
    uint32_t line = script_stack(script, "main /home/me/train.py:9", NULL);
    mt_define_fact(script->trace, "python", "3.11.7");
    char *library = path_in(state, "libpython3.so");
    unlink(library);
    script_alloc(script, script->malloc_api, 0x200000, 512, outside);
    script_alloc(script, script->malloc_api, 0x400000, 512, line);
    script_alloc(script, script->malloc_api, 0x600000, 512, outside);
    script_free(script, script->free_api, 0x400000, line);
    script_alloc(script, script->malloc_api, 0x800000, 512, last);
    char *text = script_show(script_report(script), mt_view_live);
    expect_line(text, "  2  Python outside all lines (libpython3.so)\n");
    expect_line(text, "  1  Python at its exit (libpython3.so)\n");
    free(text);
    free(library);
    script_close(script);
}

static void test_modules_are_told_by_their_names(void **state) {
    static const struct {
        const char *path;
        enum mt_code_kind kind;
    } cases[] = {
        {"/home/me/train", MT_CODE_PROGRAM},
        {"/home/me/libmemtrace.so", MT_CODE_TRACER},
        {"/usr/lib/x86_64-linux-gnu/libcuda.so.580.159.03", MT_CODE_DRIVER},
        {"/opt/simulated/libcupti.so.13", MT_CODE_DRIVER},
        {"/x/torch/lib/libcudart-d0da41ae.so.11.0", MT_CODE_RUNTIME},
        {"/lib/x86_64-linux-gnu/libc.so.6", MT_CODE_SYSTEM},
        {"/lib64/ld-linux-x86-64.so.2", MT_CODE_SYSTEM},
        {"[vdso]", MT_CODE_SYSTEM},
        {"/usr/local/cuda/lib64/libcublas.so.13", MT_CODE_LIBRARY},
        {"/home/me/env/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so", MT_CODE_LIBRARY},
        {"/home/me/libcudanice.so", MT_CODE_LOCAL},
        {"/home/me/build/libnet.so", MT_CODE_LOCAL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_int_equal(mt_module_kind(cases[i].path, "/home/me/train"), cases[i].kind);
    assert_int_equal(mt_module_kind("/opt/bin/python3.12", "/opt/bin/python3.12"), MT_CODE_LIBRARY);
}

static void test_sources_of_the_system_are_told_by_their_paths(void **state) {
    (void)state;
    assert_true(mt_is_system_source("/usr/include/c++/12/bits/stl_vector.h"));
    assert_true(mt_is_system_source("/usr/local/cuda/targets/x86_64-linux/include/cuda_runtime.h"));
    assert_true(mt_is_system_source("/tmp/tmpxft_0000_0000-6_train.cudafe1.stub.c"));
    assert_false(mt_is_system_source("/home/me/train.cu"));
    assert_false(mt_is_system_source("/usr/src/net/train.cu"));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_the_innermost_line_of_the_programs_own_python_counts),
        TEST(test_a_kernel_is_launched_by_the_line_that_calls_it),
        TEST(test_what_was_typed_in_is_own_where_no_file_is),
        TEST(test_frozen_modules_are_a_library),
        TEST(test_without_own_code_the_innermost_library_counts),
        TEST(test_user_code_narrows_what_is_own),
        TEST(test_user_code_that_matches_nothing_changes_nothing),
        TEST(test_files_of_one_name_are_told_by_their_folders),
        TEST(test_functions_of_one_name_are_told_by_their_files),
        TEST(test_a_file_has_one_name_however_its_path_is_written),
        TEST(test_as_many_folders_are_shown_as_it_takes),
        TEST(test_a_stack_that_is_not_known_is_unknown),
        TEST(test_the_runtimes_call_and_the_programs_line_are_named),
        TEST(test_a_library_without_symbols_is_shown_once),
        TEST(test_what_xla_tries_out_stands_at_the_line_that_compiles),
        TEST(test_python_without_symbols_is_at_its_exit_when_no_line_follows),
        TEST(test_modules_are_told_by_their_names),
        TEST(test_sources_of_the_system_are_told_by_their_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
