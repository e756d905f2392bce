/*
 * The symbol hooks from the program's side: what lookups answer, what they leave alone, and that each call is recorded
 * once whichever way it was found and whoever else stands in front of it. The program runs itself again, preloaded with
 * libmemtrace.so, on the simulated device, with the name of a scene as its argument; a scene's exit code is its
 * verdict.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <cuda.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/reader.h"

static char self[PATH_MAX], build[PATH_MAX]; // this program, and the build folder it lies in
static char trace_path[] = "/tmp/test_hooks.XXXXXX";

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

// The file name of the library that an address lies in.
static const char *library_of(const void *address) {
    Dl_info info;
    if (!dladdr(address, &info)) return "";
    const char *slash = strrchr(info.dli_fname, '/');
    return slash ? slash + 1 : info.dli_fname;
}

static bool is_ours(const void *address) {
    return strcmp(library_of(address), "libmemtrace.so") == 0;
}

typedef CUresult init_fn(unsigned flags);
typedef CUresult retain_fn(CUcontext *context, CUdevice device);
typedef CUresult set_current_fn(CUcontext context);
typedef CUresult current_fn(CUcontext *context);
typedef CUresult alloc_fn(CUdeviceptr *address, size_t bytes);
typedef CUresult free_fn(CUdeviceptr address);
typedef int subscribe_fn(void **subscriber, void *callback, void *user);
typedef CUresult lookup_fn(const char *name, void **function, int version, cuuint64_t flags,
                           CUdriverProcAddressQueryResult *status);

// cuInit and a current context, by lookups alone; the driver's handle.
static void *open_device(void) {
    CUcontext context;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver || ((init_fn *)dlsym(driver, "cuInit"))(0) != CUDA_SUCCESS) return NULL;
    if (((retain_fn *)dlsym(driver, "cuDevicePrimaryCtxRetain"))(&context, 0) != CUDA_SUCCESS) return NULL;
    return ((set_current_fn *)dlsym(driver, "cuCtxSetCurrent"))(context) == CUDA_SUCCESS ? driver : NULL;
}

static int lookups_answer_hooks_for_the_list_alone(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    CHECK(driver);
    CHECK(is_ours(dlsym(driver, "cuMemAlloc_v2")));
    CHECK(is_ours(dlsym(driver, "cuLaunchKernel_ptsz")));
    CHECK(is_ours(dlsym(driver, "cuGetProcAddress_v2")));
    CHECK(!is_ours(dlsym(driver, "cuMemcpyHtoD_v2")));
    CHECK(strstr(library_of(dlsym(driver, "cuMemcpyHtoD_v2")), "libcuda"));
    CHECK(strcmp(library_of(dlsym(driver, "strlen")), "libc.so.6") == 0);
    return 0;
}

static int without_a_driver_nothing_of_it_is_found(void) {
    dlerror();
    CHECK(dlsym(RTLD_DEFAULT, "cuMemAlloc_v2") == NULL);
    CHECK(dlerror() != NULL);
    CHECK(dlsym(RTLD_DEFAULT, "cuInit") == NULL);
    CHECK(dlsym(RTLD_DEFAULT, "cuptiSubscribe") == NULL);
    CHECK(dlsym(dlopen(NULL, RTLD_LAZY), "cuMemFree_v2") == NULL);
    return 0;
}

static int a_driver_in_the_global_scope_is_found_by_default(void) {
    CHECK(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL));
    CHECK(dlsym(RTLD_DEFAULT, "cuMemAlloc_v2") == NULL);
    CHECK(dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL));
    CHECK(is_ours(dlsym(RTLD_DEFAULT, "cuMemAlloc_v2")));
    return 0;
}

static int errors_of_lookups_are_the_programs(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    CHECK(driver);
    dlerror();
    CHECK(dlsym(driver, "cuMemAlloc_v2"));
    CHECK(dlerror() == NULL);
    CHECK(!dlsym(driver, "cuNoSuchThing"));
    const char *error = dlerror();
    CHECK(error && strstr(error, "cuNoSuchThing"));
    return 0;
}

static int next_is_what_stands_behind_the_caller(void) {
    // From the executable, the next malloc is the C library's; an answer for our own library would be none at all.
    CHECK(strcmp(library_of(dlsym(RTLD_NEXT, "malloc")), "libc.so.6") == 0);
    return 0;
}

static int versions_and_flags_choose_the_hook(void) {
    void *driver = open_device(), *old, *new, *legacy, *thread, *self_lookup, *other;
    CHECK(driver);
    lookup_fn *lookup = (lookup_fn *)dlsym(driver, "cuGetProcAddress_v2");
    CHECK(lookup("cuMemAlloc", &old, 2000, 0, NULL) == CUDA_SUCCESS);
    CHECK(lookup("cuMemAlloc", &new, 12000, 0, NULL) == CUDA_SUCCESS);
    CHECK(old == dlsym(driver, "cuMemAlloc"));
    CHECK(new == dlsym(driver, "cuMemAlloc_v2"));
    CHECK(lookup("cuMemAllocAsync", &legacy, 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, NULL) == CUDA_SUCCESS);
    CHECK(lookup("cuMemAllocAsync", &thread, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL) ==
          CUDA_SUCCESS);
    CHECK(legacy == dlsym(driver, "cuMemAllocAsync"));
    CHECK(thread == dlsym(driver, "cuMemAllocAsync_ptsz"));
    CHECK(lookup("cuGetProcAddress", &self_lookup, 12000, 0, NULL) == CUDA_SUCCESS);
    CHECK(self_lookup == (void *)lookup);
    CHECK(lookup("cuMemcpyHtoD", &other, 12000, 0, NULL) == CUDA_SUCCESS);
    CHECK(!is_ours(other));
    return 0;
}

// Three allocations, found in three ways.
static int each_way_to_a_function_is_recorded_once(void) {
    CUdeviceptr address;
    void *driver = open_device(), *found;
    CHECK(driver);
    CHECK(((alloc_fn *)dlsym(driver, "cuMemAlloc_v2"))(&address, 1000) == CUDA_SUCCESS);
    CHECK(((lookup_fn *)dlsym(driver, "cuGetProcAddress_v2"))("cuMemAlloc", &found, 12000, 0, NULL) == CUDA_SUCCESS);
    CHECK(((alloc_fn *)found)(&address, 2000) == CUDA_SUCCESS);
    CHECK(dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL));
    CHECK(((alloc_fn *)dlsym(RTLD_DEFAULT, "cuMemAlloc_v2"))(&address, 3000) == CUDA_SUCCESS);
    return 0;
}

// One allocation by lookup, with another library's wrapper of the same function in between.
static int another_interposer_sees_what_we_see(void) {
    CUdeviceptr address;
    void *driver = open_device();
    CHECK(driver);
    CHECK(((alloc_fn *)dlsym(driver, "cuMemAlloc_v2"))(&address, 1000) == CUDA_SUCCESS);
    CHECK(((alloc_fn *)dlsym(driver, "cuMemAlloc_v2"))(&address, 2000) == CUDA_SUCCESS);
    CHECK(((alloc_fn *)dlsym(driver, "cuMemAlloc_v2"))(&address, 3000) == CUDA_SUCCESS);
    const int *calls = dlsym(RTLD_DEFAULT, "wrap_dlsym_calls");
    CHECK(calls && *calls == 3);
    return 0;
}

#define WORKERS 4
#define PAIRS   5000

static atomic_int pairs_done;
static CUcontext worker_context;

static void *work(void *driver) {
    alloc_fn *allocate = (alloc_fn *)dlsym(driver, "cuMemAlloc_v2");
    free_fn *release = (free_fn *)dlsym(driver, "cuMemFree_v2");
    if (((set_current_fn *)dlsym(driver, "cuCtxSetCurrent"))(worker_context) != CUDA_SUCCESS) return NULL;
    for (int i = 0; i < PAIRS; i++) {
        CUdeviceptr address;
        if (allocate(&address, 512) != CUDA_SUCCESS || release(address) != CUDA_SUCCESS) return NULL;
        atomic_fetch_add(&pairs_done, 1);
    }
    return driver;
}

// Another client takes CUPTI while threads allocate.
static int the_feed_changes_in_the_middle_of_work(void) {
    pthread_t workers[WORKERS];
    void *subscriber = NULL, *result, *driver = open_device();
    CHECK(driver);
    CHECK(((current_fn *)dlsym(driver, "cuCtxGetCurrent"))(&worker_context) == CUDA_SUCCESS);
    for (int i = 0; i < WORKERS; i++) CHECK(pthread_create(&workers[i], NULL, work, driver) == 0);
    while (atomic_load(&pairs_done) < WORKERS * PAIRS / 4) sched_yield();
    void *cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
    CHECK(cupti);
    CHECK(((subscribe_fn *)dlsym(cupti, "cuptiSubscribe"))(&subscriber, (void *)open_device, NULL) == 0);
    CHECK(atomic_load(&pairs_done) < WORKERS * PAIRS);
    for (int i = 0; i < WORKERS; i++) CHECK(pthread_join(workers[i], &result) == 0 && result);
    return 0;
}

static const struct scene {
    const char *name;
    int (*play)(void);
} scenes[] = {
#define SCENE(name)                                                                                                    \
    { #name, name }
    SCENE(lookups_answer_hooks_for_the_list_alone),
    SCENE(without_a_driver_nothing_of_it_is_found),
    SCENE(a_driver_in_the_global_scope_is_found_by_default),
    SCENE(errors_of_lookups_are_the_programs),
    SCENE(next_is_what_stands_behind_the_caller),
    SCENE(versions_and_flags_choose_the_hook),
    SCENE(each_way_to_a_function_is_recorded_once),
    SCENE(another_interposer_sees_what_we_see),
    SCENE(the_feed_changes_in_the_middle_of_work),
};

static int play(const char *name) {
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        if (strcmp(scenes[i].name, name) == 0) return scenes[i].play();
    }
    return 2;
}

// The verdict of a scene under `preload` (library names, our own among them) and MEMTRACE_FEED=`feed`.
static int stage(const char *scene, const char *preload, const char *feed) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        char libraries[2 * PATH_MAX + 64] = "", simulated[PATH_MAX + 16];
        for (const char *name = preload; *name; name += strcspn(name, " ") + (name[strcspn(name, " ")] != 0)) {
            size_t length = strlen(libraries);
            snprintf(libraries + length, sizeof libraries - length, "%s%s/%.*s", length ? ":" : "", build,
                     (int)strcspn(name, " "), name);
        }
        snprintf(simulated, sizeof simulated, "%s/simcuda", build);
        setenv("LD_PRELOAD", libraries, 1);
        setenv("LD_LIBRARY_PATH", simulated, 1);
        setenv("MEMTRACE_FEED", feed, 1);
        setenv("MEMTRACE_OUT", trace_path, 1);
        unsetenv("CUDA_INJECTION64_PATH");
        execl(self, self, scene, NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define OURS "libmemtrace.so"
#define BOTH_FEEDS(scene)                                                                                              \
    static void test_##scene(void **state) {                                                                           \
        (void)state;                                                                                                   \
        assert_int_equal(stage(#scene, OURS, "hooks"), 0);                                                             \
        assert_int_equal(stage(#scene, OURS, "cupti"), 0);                                                             \
    }
BOTH_FEEDS(lookups_answer_hooks_for_the_list_alone)
BOTH_FEEDS(without_a_driver_nothing_of_it_is_found)
BOTH_FEEDS(a_driver_in_the_global_scope_is_found_by_default)
BOTH_FEEDS(errors_of_lookups_are_the_programs)
BOTH_FEEDS(next_is_what_stands_behind_the_caller)
BOTH_FEEDS(versions_and_flags_choose_the_hook)

// Sizes of the device allocations in a trace, and the facts about what only one feed saw.
struct found {
    uint64_t bytes[16];
    size_t count;
};

static int note_allocation(void *user, const struct mt_record_event *event) {
    struct found *found = user;
    if (event->effect == MT_EFFECT_ALLOCATED && found->count < 16) found->bytes[found->count++] = event->bytes;
    return 0;
}

static int ignore_definition(void *user, const struct mt_definition *definition) {
    (void)user;
    (void)definition;
    return 0;
}

static void expect_three_allocations(const char *scene, const char *preload, const char *feed) {
    struct mt_reader *reader;
    struct found found = {.count = 0};
    uint32_t version;
    assert_int_equal(stage(scene, preload, feed), 0);
    assert_int_equal(mt_reader_open(trace_path, &reader, &version), MT_OPEN_OK);
    mt_reader_definitions(reader, ignore_definition, NULL);
    mt_reader_events(reader, note_allocation, &found);
    mt_reader_close(reader);
    assert_int_equal(found.count, 3);
    for (size_t i = 0; i < 3; i++) assert_int_equal(found.bytes[i], 1000 * (i + 1));
}

static void test_each_way_to_a_function_is_recorded_once(void **state) {
    (void)state;
    expect_three_allocations("each_way_to_a_function_is_recorded_once", OURS, "hooks");
    expect_three_allocations("each_way_to_a_function_is_recorded_once", OURS, "cupti");
    expect_three_allocations("each_way_to_a_function_is_recorded_once", OURS, "both");
}

static void test_another_interposer_sees_what_we_see(void **state) {
    (void)state;
    static const char *const orders[] = {OURS " tests/unit/wrap_dlsym.so", "tests/unit/wrap_dlsym.so " OURS};
    for (size_t i = 0; i < 2; i++) {
        expect_three_allocations("another_interposer_sees_what_we_see", orders[i], "hooks");
        expect_three_allocations("another_interposer_sees_what_we_see", orders[i], "cupti");
    }
}

struct tally {
    uint64_t allocated, freed, handed_over;
};

static int note_effect(void *user, const struct mt_record_event *event) {
    struct tally *tally = user;
    tally->allocated += event->effect == MT_EFFECT_ALLOCATED;
    tally->freed += event->effect == MT_EFFECT_FREED;
    tally->handed_over += event->effect == MT_EFFECT_HANDED_OVER;
    return 0;
}

static void test_a_hand_over_loses_and_doubles_nothing(void **state) {
    (void)state;
    static const char *const feeds[] = {"auto", "both"};
    for (size_t i = 0; i < 2; i++) {
        struct mt_reader *reader;
        struct tally tally = {0, 0, 0};
        uint32_t version;
        assert_int_equal(stage("the_feed_changes_in_the_middle_of_work", OURS, feeds[i]), 0);
        assert_int_equal(mt_reader_open(trace_path, &reader, &version), MT_OPEN_OK);
        mt_reader_definitions(reader, ignore_definition, NULL);
        mt_reader_events(reader, note_effect, &tally);
        mt_reader_close(reader);
        assert_int_equal(tally.allocated, WORKERS * PAIRS);
        assert_int_equal(tally.freed, WORKERS * PAIRS);
        assert_int_equal(tally.handed_over, 1);
    }
}

int main(int argc, char **argv) {
    if (argc > 1) return play(argv[1]);
    if (!realpath("/proc/self/exe", self)) return 2;
    strcpy(build, self); // …/tests/unit/test_hooks
    for (int i = 0; i < 3; i++) *strrchr(build, '/') = 0;
    int file = mkstemp(trace_path);
    if (file < 0) return 2;
    close(file);
    unlink(trace_path);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookups_answer_hooks_for_the_list_alone),
        cmocka_unit_test(test_without_a_driver_nothing_of_it_is_found),
        cmocka_unit_test(test_a_driver_in_the_global_scope_is_found_by_default),
        cmocka_unit_test(test_errors_of_lookups_are_the_programs),
        cmocka_unit_test(test_next_is_what_stands_behind_the_caller),
        cmocka_unit_test(test_versions_and_flags_choose_the_hook),
        cmocka_unit_test(test_each_way_to_a_function_is_recorded_once),
        cmocka_unit_test(test_another_interposer_sees_what_we_see),
        cmocka_unit_test(test_a_hand_over_loses_and_doubles_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char older[sizeof trace_path + 8];
    snprintf(older, sizeof older, "%s.old", trace_path);
    unlink(trace_path);
    unlink(older);
    return failed;
}
