/*
 * The PyTorch feed between two C++ libraries with torch's names, loaded privately as Python loads them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <stdio.h>

#include "preload/effects/context_map.h"
#include "preload/torch/feed.h"
#include "tests/fakes/recorder.h"

enum { NEWEST, SIGNED, WITHOUT_FIGURES };
enum { CPU = 0, CUDA = 1, XLA = 9 };

static void (*block)(int generation, int type, int index, uint64_t address, int64_t bytes, uint64_t allocated,
                     uint64_t reserved);
static void (*out_of_memory)(int generation, int index, int64_t bytes, uint64_t allocated, uint64_t reserved);
static int (*backward)(int root, int input, int flags, int output);
static int64_t (*reports)(void);
static int64_t (*bytes_reported)(void);

// No CUDA context was ever seen on this thread.
int mt_context_device(CUcontext context) {
    (void)context;
    return -1;
}

uint32_t mt_context_id(CUcontext context) {
    (void)context;
    return 0;
}

static int begin_session(void **state) {
    (void)state;
    fake_recorder_reset(true);
    return 0;
}

// Torch holds a mutex here that an initialiser may wait for.
static void an_event_looks_for_nothing(void **state) {
    (void)state;
    int64_t before = reports();
    block(NEWEST, CPU, -1, 0x1000, 512, 512, 0);
    assert_int_equal(reports(), before);
    assert_string_equal(fake_recorder_take(), "alloc torch malloc (CPU) 0x1000 512\n");
    fake_recorder_reset(false);
    block(NEWEST, CPU, -1, 0x1000, -512, 0, 0);
    assert_int_equal(reports() - before, 1);
    mt_torch_look();
}

// Every device's figures are remembered by the feed, so each test uses one of its own.

static void blocks_are_recorded_and_passed_on(void **state) {
    (void)state;
    int64_t before = reports();
    int64_t bytes_before = bytes_reported();
    block(NEWEST, CUDA, 0, 0x1000, 512, 512, 2097152);
    block(NEWEST, CUDA, 0, 0x1200, 1024, 1536, 2097152);
    block(NEWEST, CUDA, 0, 0x1000, -512, 1024, 2097152);
    assert_int_equal(reports() - before, 3);
    assert_int_equal(bytes_reported() - bytes_before, 1024);
    assert_string_equal(fake_recorder_take(),
                        "fact torch-reporter=_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE\n"
                        "alloc torch malloc 0x1000 512 device=0\n"
                        "pool-sampled torch allocator tag25=12 device=0 allocated=512 reserved=2097152\n"
                        "alloc torch malloc 0x1200 1024 device=0\n"
                        "free torch free 0x1000 device=0\n");
}

static void figures_are_written_when_they_do_not_follow(void **state) {
    (void)state;
    block(NEWEST, CUDA, 1, 0x1000, 512, 512, 2097152);
    block(NEWEST, CUDA, 1, 0x1200, 512, 1024, 4194304); // the reserve has grown
    block(NEWEST, CUDA, 1, 0x1400, 512, 9999, 4194304); // something came that we have not seen
    block(NEWEST, CUDA, 1, 0x1600, 1, 10000, 4194304);
    assert_string_equal(fake_recorder_take(),
                        "alloc torch malloc 0x1000 512 device=1\n"
                        "pool-sampled torch allocator tag25=12 device=1 allocated=512 reserved=2097152\n"
                        "alloc torch malloc 0x1200 512 device=1\n"
                        "pool-sampled torch allocator tag25=12 device=1 allocated=1024 reserved=4194304\n"
                        "alloc torch malloc 0x1400 512 device=1\n"
                        "pool-sampled torch allocator tag25=12 device=1 allocated=9999 reserved=4194304\n"
                        "alloc torch malloc 0x1600 1 device=1\n");
}

static void older_signatures_work_alike(void **state) {
    (void)state;
    int64_t before = reports();
    block(SIGNED, CUDA, 2, 0x1000, 512, 512, 2097152);
    block(WITHOUT_FIGURES, CUDA, 2, 0x1000, -512, 0, 0);
    assert_int_equal(reports() - before, 2);
    assert_string_equal(fake_recorder_take(),
                        "alloc torch malloc 0x1000 512 device=2\n"
                        "pool-sampled torch allocator tag25=12 device=2 allocated=512 reserved=2097152\n"
                        "free torch free 0x1000 device=2\n");
}

static void cpu_blocks_are_kept_apart(void **state) {
    (void)state;
    block(NEWEST, CPU, -1, 0x5000, 64, 64, 0);
    block(NEWEST, CPU, 0, 0x5000, -64, 0, 0);
    assert_string_equal(fake_recorder_take(), "alloc torch malloc (CPU) 0x5000 64\n"
                                              "free torch free (CPU) 0x5000\n");
}

static void other_devices_are_only_passed_on(void **state) {
    (void)state;
    int64_t before = reports();
    block(NEWEST, XLA, 0, 0x1000, 512, 512, 512);
    block(NEWEST, CUDA, -1, 0x1000, 512, 512, 512);
    block(NEWEST, CUDA, 127, 0x1000, 512, 512, 512);
    block(NEWEST, CUDA, 0, 0x1000, 0, 512, 512);
    assert_int_equal(reports() - before, 4);
    assert_string_equal(fake_recorder_take(), "");
}

static void out_of_memory_is_recorded(void **state) {
    (void)state;
    int64_t before = reports();
    out_of_memory(NEWEST, 0, 1 << 30, 4096, 2097152);
    out_of_memory(SIGNED, 3, 512, 0, 0);
    assert_int_equal(reports() - before, 2);
    assert_string_equal(fake_recorder_take(),
                        "out-of-memory torch out of memory bytes=1073741824 device=0 allocated=4096 reserved=2097152\n"
                        "out-of-memory torch out of memory bytes=512 device=3 allocated=0 reserved=0\n");
}

static void without_a_session_calls_are_passed_on(void **state) {
    (void)state;
    fake_recorder_reset(false);
    int64_t before = reports();
    block(NEWEST, CUDA, 0, 0x1000, 512, 512, 512);
    out_of_memory(NEWEST, 0, 1, 0, 0);
    assert_int_equal(reports() - before, 2);
    assert_string_equal(fake_recorder_take(), "");
}

static void backward_is_recorded_and_goes_on_as_it_was(void **state) {
    (void)state;
    assert_int_equal(backward(1, 2, 5, 4), 1254);
    assert_int_equal(backward(4, 3, 2, 1), 4321);
    assert_string_equal(fake_recorder_take(), "backward torch backward\n"
                                              "backward-ended torch backward\n"
                                              "backward torch backward\n"
                                              "backward-ended torch backward\n");
}

static void an_exception_of_backward_passes_and_ends_it(void **state) {
    (void)state;
    assert_int_equal(backward(0, 1, 1, 1), -1);
    assert_string_equal(fake_recorder_take(), "backward torch backward\n"
                                              "backward-ended torch backward\n");
    fake_recorder_reset(false);
    assert_int_equal(backward(0, 1, 1, 1), -1);
    assert_int_equal(backward(7, 1, 1, 1), 7111);
    assert_string_equal(fake_recorder_take(), "");
}

// A library of the folder beside this program, and with it what it needs.
static void *load(const char *program, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s.libs/%s", program, name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) print_error("%s\n", dlerror());
    return library;
}

static bool load_torch(const char *program) {
    void *library = load(program, "libc10_cuda.so");
    void *python = load(program, "libtorch_python.so");
    if (!library || !python) return false;
    *(void **)&backward = dlsym(python, "fake_torch_backward");
    *(void **)&block = dlsym(library, "fake_torch_block");
    *(void **)&out_of_memory = dlsym(library, "fake_torch_out_of_memory");
    *(void **)&reports = dlsym(library, "fake_c10_reports");
    *(void **)&bytes_reported = dlsym(library, "fake_c10_bytes");
    return true;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_event_looks_for_nothing, begin_session), // before all others: nothing is known yet
        cmocka_unit_test_setup(blocks_are_recorded_and_passed_on, begin_session),
        cmocka_unit_test_setup(figures_are_written_when_they_do_not_follow, begin_session),
        cmocka_unit_test_setup(older_signatures_work_alike, begin_session),
        cmocka_unit_test_setup(cpu_blocks_are_kept_apart, begin_session),
        cmocka_unit_test_setup(other_devices_are_only_passed_on, begin_session),
        cmocka_unit_test_setup(out_of_memory_is_recorded, begin_session),
        cmocka_unit_test_setup(without_a_session_calls_are_passed_on, begin_session),
        cmocka_unit_test_setup(backward_is_recorded_and_goes_on_as_it_was, begin_session),
        cmocka_unit_test_setup(an_exception_of_backward_passes_and_ends_it, begin_session),
    };
    (void)argc;
    mt_torch_look(); // torch is not there yet
    if (!load_torch(argv[0])) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
