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
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/stage.h"
#include "tracer/reader.h"

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

typedef CUresult current_fn(CUcontext *context);
typedef CUresult alloc_fn(CUdeviceptr *address, size_t bytes);
typedef CUresult free_fn(CUdeviceptr address);
typedef CUresult set_current_fn(CUcontext context);
typedef int subscribe_fn(void **subscriber, void *callback, void *user);
typedef CUresult lookup_fn(const char *name, void **function, int version, cuuint64_t flags,
                           CUdriverProcAddressQueryResult *status);

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

// Nothing but a plug-in brought libcuda, for itself alone: it finds it by default, the executable does not.
static int a_driver_beside_the_caller_is_found_by_default(void) {
    void *plug_in = dlopen("beside_driver.so", RTLD_NOW | RTLD_LOCAL);
    CHECK(plug_in);
    void *(*find)(const char *) = (void *(*)(const char *))dlsym(plug_in, "beside_driver_find");
    CHECK(find);
    CHECK(is_ours(find("cuMemAlloc_v2")));
    CHECK(dlerror() == NULL);
    CHECK(is_ours(find("cuInit")));
    CHECK(strstr(library_of(find("cuMemcpyHtoD_v2")), "libcuda"));
    CHECK(find("cuptiSubscribe") == NULL);
    CHECK(dlerror() != NULL);
    CHECK(dlsym(RTLD_DEFAULT, "cuMemAlloc_v2") == NULL);
    return 0;
}

static int a_client_of_cupti_can_be_unloaded(void) {
    void *cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL), *client = dlopen("beside_driver.so", RTLD_NOW);
    CHECK(cupti && client);
    int (*subscribe)(subscribe_fn *) = (int (*)(subscribe_fn *))dlsym(client, "beside_driver_subscribe");
    CHECK(subscribe((subscribe_fn *)dlsym(cupti, "cuptiSubscribe")) != 0);
    CHECK(dlclose(client) == 0);
    CHECK(dlopen("beside_driver.so", RTLD_LAZY | RTLD_NOLOAD) == NULL);
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
    void *driver = stage_open_device(), *old, *new, *legacy, *thread, *self_lookup, *other;
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

// tests/unit/newer_driver.c, where cuMemAlloc means another function to programs of CUDA 13.1.
static int a_function_of_a_later_version_is_left_alone(void) {
    CUdeviceptr address = 0;
    void *driver = stage_open_device(), *newer, *known, *unchanged;
    CHECK(driver);
    lookup_fn *lookup = (lookup_fn *)dlsym(dlopen("newer_driver.so", RTLD_NOW), "cuGetProcAddress_v2");
    CHECK(is_ours((void *)lookup));
    CHECK(lookup("cuMemAlloc", &newer, 13010, 0, NULL) == CUDA_SUCCESS);
    CHECK(((CUresult(*)(CUdeviceptr *, CUdevice, size_t))newer)(&address, 40, 2) == CUDA_SUCCESS);
    CHECK(address == 42);
    CHECK(!is_ours(newer));
    CHECK(lookup("cuMemAlloc", &known, 13000, 0, NULL) == CUDA_SUCCESS);
    CHECK(known == dlsym(driver, "cuMemAlloc_v2"));
    CHECK(is_ours(known));
    CHECK(lookup("cuMemFree", &unchanged, 13010, 0, NULL) == CUDA_SUCCESS);
    CHECK(unchanged == dlsym(driver, "cuMemFree_v2"));
    CHECK(is_ours(unchanged));
    return 0;
}

// Three allocations, found in three ways.
static int each_way_to_a_function_is_recorded_once(void) {
    CUdeviceptr address;
    void *driver = stage_open_device(), *found;
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
    void *driver = stage_open_device();
    CHECK(driver);
    CHECK(((alloc_fn *)dlsym(driver, "cuMemAlloc_v2"))(&address, 1000) == CUDA_SUCCESS);
    CHECK(((alloc_fn *)dlsym(driver, "cuMemAlloc_v2"))(&address, 2000) == CUDA_SUCCESS);
    CHECK(((alloc_fn *)dlsym(driver, "cuMemAlloc_v2"))(&address, 3000) == CUDA_SUCCESS);
    const int *calls = dlsym(RTLD_DEFAULT, "wrap_dlsym_calls");
    CHECK(calls && *calls == 3);
    return 0;
}

#define WORKERS    4
#define PAIRS      2000
#define PAIR_BYTES 512

static atomic_int pairs_done;
static atomic_bool changed;
static CUcontext worker_context;

// As many pairs as come before the feed changes, and PAIRS after it.

static void *work(void *driver) {
    alloc_fn *allocate = (alloc_fn *)dlsym(driver, "cuMemAlloc_v2");
    free_fn *release = (free_fn *)dlsym(driver, "cuMemFree_v2");
    if (((set_current_fn *)dlsym(driver, "cuCtxSetCurrent"))(worker_context) != CUDA_SUCCESS) return NULL;
    for (int after = 0; after < PAIRS; after += atomic_load(&changed)) {
        CUdeviceptr address;
        if (allocate(&address, PAIR_BYTES) != CUDA_SUCCESS || release(address) != CUDA_SUCCESS) return NULL;
        atomic_fetch_add(&pairs_done, 1);
    }
    return driver;
}

// Another client takes CUPTI while threads allocate. The size of one more allocation tells how many pairs they made.
static int the_feed_changes_in_the_middle_of_work(void) {
    pthread_t workers[WORKERS];
    CUdeviceptr address;
    void *subscriber = NULL, *result, *driver = stage_open_device();
    CHECK(driver);
    CHECK(((current_fn *)dlsym(driver, "cuCtxGetCurrent"))(&worker_context) == CUDA_SUCCESS);
    for (int i = 0; i < WORKERS; i++) CHECK(pthread_create(&workers[i], NULL, work, driver) == 0);
    while (atomic_load(&pairs_done) < PAIRS) sched_yield();
    void *cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
    CHECK(cupti);
    CHECK(((subscribe_fn *)dlsym(cupti, "cuptiSubscribe"))(&subscriber, (void *)stage_open_device, NULL) == 0);
    atomic_store(&changed, true);
    for (int i = 0; i < WORKERS; i++) CHECK(pthread_join(workers[i], &result) == 0 && result);
    size_t pairs = (size_t)atomic_load(&pairs_done);
    CHECK(((alloc_fn *)dlsym(driver, "cuMemAlloc_v2"))(&address, PAIR_BYTES + pairs) == CUDA_SUCCESS);
    return 0;
}

static const struct stage_scene scenes[] = {
#define SCENE(name)                                                                                                    \
    { #name, name }
    SCENE(lookups_answer_hooks_for_the_list_alone),
    SCENE(without_a_driver_nothing_of_it_is_found),
    SCENE(a_driver_in_the_global_scope_is_found_by_default),
    SCENE(a_driver_beside_the_caller_is_found_by_default),
    SCENE(a_client_of_cupti_can_be_unloaded),
    SCENE(errors_of_lookups_are_the_programs),
    SCENE(next_is_what_stands_behind_the_caller),
    SCENE(versions_and_flags_choose_the_hook),
    SCENE(a_function_of_a_later_version_is_left_alone),
    SCENE(each_way_to_a_function_is_recorded_once),
    SCENE(another_interposer_sees_what_we_see),
    SCENE(the_feed_changes_in_the_middle_of_work),
};

#define BOTH_FEEDS(scene)                                                                                              \
    static void test_##scene(void **state) {                                                                           \
        (void)state;                                                                                                   \
        assert_int_equal(stage_play(#scene, STAGE_OURS, "hooks"), 0);                                                  \
        assert_int_equal(stage_play(#scene, STAGE_OURS, "cupti"), 0);                                                  \
    }
BOTH_FEEDS(lookups_answer_hooks_for_the_list_alone)
BOTH_FEEDS(without_a_driver_nothing_of_it_is_found)
BOTH_FEEDS(a_driver_in_the_global_scope_is_found_by_default)
BOTH_FEEDS(a_driver_beside_the_caller_is_found_by_default)
BOTH_FEEDS(a_client_of_cupti_can_be_unloaded)
BOTH_FEEDS(errors_of_lookups_are_the_programs)
BOTH_FEEDS(next_is_what_stands_behind_the_caller)
BOTH_FEEDS(versions_and_flags_choose_the_hook)
BOTH_FEEDS(a_function_of_a_later_version_is_left_alone)

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
    assert_int_equal(stage_play(scene, preload, feed), 0);
    assert_int_equal(mt_reader_open(stage_trace, &reader, &version), MT_OPEN_OK);
    mt_reader_definitions(reader, ignore_definition, NULL);
    mt_reader_events(reader, note_allocation, &found);
    mt_reader_close(reader);
    assert_int_equal(found.count, 3);
    for (size_t i = 0; i < 3; i++) assert_int_equal(found.bytes[i], 1000 * (i + 1));
}

static void test_each_way_to_a_function_is_recorded_once(void **state) {
    (void)state;
    expect_three_allocations("each_way_to_a_function_is_recorded_once", STAGE_OURS, "hooks");
    expect_three_allocations("each_way_to_a_function_is_recorded_once", STAGE_OURS, "cupti");
    expect_three_allocations("each_way_to_a_function_is_recorded_once", STAGE_OURS, "both");
}

static void test_another_interposer_sees_what_we_see(void **state) {
    (void)state;
    static const char *const orders[] = {STAGE_OURS " tests/unit/wrap_dlsym.so",
                                         "tests/unit/wrap_dlsym.so " STAGE_OURS};
    for (size_t i = 0; i < 2; i++) {
        expect_three_allocations("another_interposer_sees_what_we_see", orders[i], "hooks");
        expect_three_allocations("another_interposer_sees_what_we_see", orders[i], "cupti");
    }
}

struct tally {
    uint64_t allocated, freed, handed_over;
    uint64_t pairs; // that the program made
};

static int note_effect(void *user, const struct mt_record_event *event) {
    struct tally *tally = user;
    bool last = event->effect == MT_EFFECT_ALLOCATED && event->bytes > PAIR_BYTES;
    if (last) tally->pairs = event->bytes - PAIR_BYTES;
    tally->allocated += event->effect == MT_EFFECT_ALLOCATED && !last;
    tally->freed += event->effect == MT_EFFECT_FREED;
    tally->handed_over += event->effect == MT_EFFECT_HANDED_OVER;
    return 0;
}

static void test_a_hand_over_loses_and_doubles_nothing(void **state) {
    (void)state;
    static const char *const feeds[] = {"cupti", "both"};
    for (size_t i = 0; i < 2; i++) {
        struct mt_reader *reader;
        struct tally tally = {0};
        uint32_t version;
        assert_int_equal(stage_play("the_feed_changes_in_the_middle_of_work", STAGE_OURS, feeds[i]), 0);
        assert_int_equal(mt_reader_open(stage_trace, &reader, &version), MT_OPEN_OK);
        mt_reader_definitions(reader, ignore_definition, NULL);
        mt_reader_events(reader, note_effect, &tally);
        mt_reader_close(reader);
        assert_true(tally.pairs > WORKERS * PAIRS);
        assert_int_equal(tally.allocated, tally.pairs);
        assert_int_equal(tally.freed, tally.pairs);
        assert_int_equal(tally.handed_over, 1);
    }
}

int main(int argc, char **argv) {
    if (argc > 1) return stage_scene(argv[1], scenes, sizeof scenes / sizeof scenes[0]);
    if (stage_open() != 0) return 2;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookups_answer_hooks_for_the_list_alone),
        cmocka_unit_test(test_without_a_driver_nothing_of_it_is_found),
        cmocka_unit_test(test_a_driver_in_the_global_scope_is_found_by_default),
        cmocka_unit_test(test_a_driver_beside_the_caller_is_found_by_default),
        cmocka_unit_test(test_a_client_of_cupti_can_be_unloaded),
        cmocka_unit_test(test_errors_of_lookups_are_the_programs),
        cmocka_unit_test(test_next_is_what_stands_behind_the_caller),
        cmocka_unit_test(test_versions_and_flags_choose_the_hook),
        cmocka_unit_test(test_a_function_of_a_later_version_is_left_alone),
        cmocka_unit_test(test_each_way_to_a_function_is_recorded_once),
        cmocka_unit_test(test_another_interposer_sees_what_we_see),
        cmocka_unit_test(test_a_hand_over_loses_and_doubles_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    stage_close();
    return failed;
}
