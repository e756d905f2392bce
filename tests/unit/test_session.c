/*
 * The session from the program's side: when it starts and when not, and what it says of the process. Played on a stage
 * (stage.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/stage.h"
#include "tracer/reader.h"

typedef CUresult alloc_fn(CUdeviceptr *address, size_t bytes);
typedef int start_fn(void);

static int one_allocation(void) {
    CUdeviceptr address;
    void *driver = stage_open_device();
    CHECK(driver);
    CHECK(((alloc_fn *)dlsym(driver, "cuMemAlloc_v2"))(&address, 4096) == CUDA_SUCCESS);
    return 0;
}

static void *start_again(void *start) {
    return ((start_fn *)start)() == 1 ? start : NULL;
}

static int started_by_many_threads(void) {
    pthread_t threads[8];
    void *result, *start = dlsym(RTLD_DEFAULT, "InitializeInjection");
    CHECK(start && dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL));
    for (int i = 0; i < 8; i++) CHECK(pthread_create(&threads[i], NULL, start_again, start) == 0);
    for (int i = 0; i < 8; i++) CHECK(pthread_join(threads[i], &result) == 0 && result);
    return one_allocation();
}

static int no_device_at_all(void) {
    return 0;
}

static int no_environment(void) {
    clearenv();
    return one_allocation();
}

static const struct stage_scene scenes[] = {
#define SCENE(name)                                                                                                    \
    { #name, name }
    SCENE(one_allocation),
    SCENE(started_by_many_threads),
    SCENE(no_device_at_all),
    SCENE(no_environment),
};

struct found {
    unsigned allocations;
    uint64_t process_used; // the last SAMPLED of this process alone
    struct {
        uint32_t key, value;
    } facts[512];
    size_t fact_count;
    struct {
        uint32_t id;
        char text[256];
    } strings[1024];
    size_t string_count;
};

static int note_definition(void *user, const struct mt_definition *definition) {
    struct found *found = user;
    if (definition->type == MT_RECORD_FACT && found->fact_count < 512) {
        found->facts[found->fact_count].key = definition->name;
        found->facts[found->fact_count++].value = definition->value;
    }
    if (definition->type == MT_RECORD_STRING && found->string_count < 1024 && definition->data_bytes < 256) {
        found->strings[found->string_count].id = definition->id;
        memcpy(found->strings[found->string_count++].text, definition->data, definition->data_bytes);
    }
    return 0;
}

static int note_event(void *user, const struct mt_record_event *event) {
    struct found *found = user;
    found->allocations += event->effect == MT_EFFECT_ALLOCATED;
    if (event->effect == MT_EFFECT_SAMPLED && event->tags[MT_TAG_SAMPLE_SOURCE] == MT_SAMPLE_PROCESS) {
        found->process_used = event->tags[MT_TAG_USED];
    }
    return 0;
}

static struct found found;

static void read_trace(void) {
    struct mt_reader *reader;
    uint32_t version;
    memset(&found, 0, sizeof found);
    assert_int_equal(mt_reader_open(stage_trace, &reader, &version), MT_OPEN_OK);
    assert_int_equal(mt_reader_header(reader)->state, MT_STATE_FINISHED);
    mt_reader_definitions(reader, note_definition, &found);
    mt_reader_events(reader, note_event, &found);
    mt_reader_close(reader);
}

static const char *text_of(uint32_t id) {
    for (size_t i = 0; i < found.string_count; i++) {
        if (found.strings[i].id == id) return found.strings[i].text;
    }
    return "";
}

static const char *fact(const char *key) {
    for (size_t i = found.fact_count; i-- > 0;) {
        if (strcmp(text_of(found.facts[i].key), key) == 0) return text_of(found.facts[i].value);
    }
    return "";
}

static int clear_variables(void **state) {
    (void)state;
    static const char *const names[] = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "MEMTRACE_OUT", "RANK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) unsetenv(names[i]);
    return 0;
}

static void a_trace_tells_of_its_process(void **state) {
    (void)state;
    char host[256];
    setenv("RANK", "3", 1);
    assert_int_equal(stage_play("one_allocation", STAGE_OURS, "auto"), 0);
    assert_string_equal(stage_errors(), "");
    read_trace();
    assert_int_equal(found.allocations, 1);
    assert_int_equal(gethostname(host, sizeof host), 0);
    assert_string_equal(fact("host"), host);
    assert_non_null(strstr(fact("command"), "test_session one_allocation"));
    assert_string_equal(fact("rank"), "3");
    assert_string_equal(fact("launcher"), "torchrun");
    assert_string_equal(fact("feed"), "hooks");
    assert_string_equal(fact("ended"), "exit");
}

static void without_a_device_there_is_no_trace(void **state) {
    (void)state;
    assert_int_equal(stage_play("no_device_at_all", STAGE_OURS, "auto"), 0);
    assert_int_not_equal(access(stage_trace, F_OK), 0);
    assert_string_equal(stage_errors(), "");
}

static void starting_it_often_starts_it_once(void **state) {
    (void)state;
    assert_int_equal(stage_play("started_by_many_threads", STAGE_OURS, "auto"), 0);
    assert_string_equal(stage_errors(), "");
    read_trace();
    assert_int_equal(found.allocations, 1);
}

static void another_injected_tool_keeps_cupti(void **state) {
    (void)state;
    setenv("CUDA_INJECTION64_PATH", "/nowhere/other.so", 1);
    assert_int_equal(stage_play("one_allocation", STAGE_OURS, "auto"), 0);
    assert_string_equal(stage_errors(), "");
    read_trace();
    assert_int_equal(found.allocations, 1);
    assert_string_equal(fact("feed"), "hooks");
    assert_string_equal(fact("feed-reason"), "");
}

static void a_place_that_cannot_be_written_is_one_line(void **state) {
    (void)state;
    setenv("MEMTRACE_OUT", "/nowhere/trace.bin", 1);
    assert_int_equal(stage_play("one_allocation", STAGE_OURS, "auto"), 0);
    assert_string_equal(stage_errors(), "memtrace: can't write /nowhere/trace.bin: No such file or directory; this "
                                        "process is not traced\n");
}

static void nvml_tells_what_this_process_alone_has(void **state) {
    (void)state;
    assert_int_equal(stage_play("one_allocation", STAGE_OURS, "auto"), 0);
    read_trace();
    assert_int_equal(found.process_used, 12345678);
}

static void a_program_that_clears_its_environment_is_traced_by_hooks(void **state) {
    (void)state;
    char folder[] = "/tmp/memtrace-stage-folder.XXXXXX", before[4096], path[64];
    assert_non_null(getcwd(before, sizeof before));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(stage_play("no_environment", STAGE_OURS, "auto"), 0);
    assert_int_equal(chdir(before), 0);
    snprintf(path, sizeof path, "%s/trace.bin", folder);
    assert_int_equal(rename(path, stage_trace), 0);
    rmdir(folder);
    read_trace();
    assert_int_equal(found.allocations, 1);
}

int main(int argc, char **argv) {
    if (argc > 1) return stage_scene(argv[1], scenes, sizeof scenes / sizeof scenes[0]);
    if (stage_open() != 0) return 2;
#define TEST(name) cmocka_unit_test_setup(name, clear_variables)
    const struct CMUnitTest tests[] = {
        TEST(a_trace_tells_of_its_process),
        TEST(without_a_device_there_is_no_trace),
        TEST(starting_it_often_starts_it_once),
        TEST(another_injected_tool_keeps_cupti),
        TEST(a_place_that_cannot_be_written_is_one_line),
        TEST(nvml_tells_what_this_process_alone_has),
        TEST(a_program_that_clears_its_environment_is_traced_by_hooks),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    stage_close();
    return failed;
}
