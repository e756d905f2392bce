/*
 * The list of modules: who is loaded where, under which name and build-id, and what happens to stacks when one goes.
 */
#include "tests/unit/trace_files.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

static const struct mt_definition *module_at(const struct whole *whole, uint64_t address) {
    const struct mt_definition *found = NULL;
    for (size_t i = 0; i < whole->definition_count; i++) {
        const struct mt_definition *module = &whole->definitions[i];
        if (module->type == MT_RECORD_MODULE && module->start <= address && address < module->end) found = module;
    }
    assert_non_null(found);
    return found;
}

static uint64_t here(void) {
    return (uint64_t)(uintptr_t)&module_at;
}

static char *program_path(void) {
    char *path = calloc(1, 4096);
    assert_true(readlink("/proc/self/exe", path, 4095) > 0);
    return path;
}

static void *load_plugin(void) {
    char *program = program_path(), *path = NULL;
    assert_true(asprintf(&path, "%.*splugin.so", (int)(strrchr(program, '/') + 1 - program), program) > 0);
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) fail_msg("%s", dlerror());
    free(path);
    free(program);
    return plugin;
}

static void the_program_and_its_libraries_are_listed(void **state) {
    // given a stack in the program and in libc
    char *path = path_in(state, "trace.bin"), *program = program_path();
    struct mt_trace *trace = trace_make(path);
    const struct mt_frame stack[] = {{.address = (uint64_t)(uintptr_t)&getpid}, {.address = here()}};
    assert_int_not_equal(mt_define_stack(trace, stack, 2), 0);
    mt_trace_finish(trace);

    // then the file names both, with the load bias and the build-id that the linker gave
    struct whole whole = whole_read(path);
    const struct mt_definition *executable = module_at(&whole, here());
    assert_true(whole_says(&whole, executable->name, program));
    assert_int_equal(executable->bias % 4096, 0);
    assert_true(executable->data_bytes == 20 || executable->data_bytes == 0);
    Dl_info library;
    assert_int_not_equal(dladdr((void *)&getpid, &library), 0);
    const struct mt_definition *libc = module_at(&whole, (uint64_t)(uintptr_t)&getpid);
    assert_int_equal(libc->start, (uint64_t)(uintptr_t)library.dli_fbase);
    assert_true(whole_says(&whole, libc->name, library.dli_fname));
    assert_true(libc->data_bytes >= 8);
    whole_free(&whole);
    free(program);
    free(path);
}

static void the_vdso_has_its_name(void **state) {
    uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
    if (vdso == 0) skip();
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    mt_modules_refresh(trace);
    mt_trace_finish(trace);

    struct whole whole = whole_read(path);
    assert_true(whole_says(&whole, module_at(&whole, vdso)->name, "[vdso]"));
    whole_free(&whole);
    free(path);
}

static void nothing_new_is_nothing_written(void **state) {
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    mt_modules_refresh(trace);
    mt_modules_refresh(trace);
    // an address that no module holds, as of code made at run time
    const struct mt_frame unknown = {.address = 8};
    assert_int_not_equal(mt_define_stack(trace, &unknown, 1), 0);
    mt_trace_finish(trace);

    struct whole whole = whole_read(path);
    assert_int_equal(whole_count(&whole, MT_RECORD_MODULE_GONE), 0);
    for (size_t i = 0; i < whole.definition_count; i++) {
        const struct mt_definition *module = &whole.definitions[i];
        if (module->type == MT_RECORD_MODULE) assert_ptr_equal(module_at(&whole, module->start), module);
    }
    whole_free(&whole);
    free(path);
}

static void a_new_address_brings_its_module(void **state) {
    // given a trace that knows the modules, and one more is loaded
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    mt_modules_refresh(trace);
    void *plugin = load_plugin();
    const struct mt_frame frame = {.address = (uint64_t)(uintptr_t)dlsym(plugin, "plugin_function")};

    // when a stack leads there
    uint32_t stack = mt_define_stack(trace, &frame, 1);
    mt_trace_finish(trace);

    // then its module stands before it in the file
    struct whole whole = whole_read(path);
    const struct mt_definition *module = module_at(&whole, frame.address);
    const struct mt_definition *node = whole_find(&whole, MT_RECORD_NATIVE_FRAME, stack);
    assert_true(module < node);
    whole_free(&whole);
    dlclose(plugin);
    free(path);
}

// The tracer's dl_iterate_phdr; its lock may be one that the thread must not wait for.
static int listings;

// The thread sanitizer calls it, too, before it can watch.
__attribute__((no_sanitize("thread"))) int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *),
                                                           void *user) {
    int (*real)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "dl_iterate_phdr");
    listings++;
    return real(callback, user);
}

static void a_stack_asks_for_its_modules_alone(void **state) {
    if (!dlsym(RTLD_DEFAULT, "_dl_find_object")) skip(); // before glibc 2.35
    // given a trace that knows the modules, and one more is loaded
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    mt_modules_refresh(trace);
    void *plugin = load_plugin();
    const struct mt_frame frames[] = {{.address = (uint64_t)(uintptr_t)dlsym(plugin, "plugin_function")},
                                      {.address = (uint64_t)(uintptr_t)&getpid},
                                      {.address = here()},
                                      {.address = getauxval(AT_SYSINFO_EHDR) + 64}};

    // when a stack comes, then the list of modules is left alone
    listings = 0;
    assert_int_not_equal(mt_define_stack(trace, frames, 4), 0);
    assert_int_equal(listings, 0);

    // and what was told of its modules is what the list says
    mt_modules_refresh(trace);
    mt_trace_finish(trace);
    struct whole whole = whole_read(path);
    assert_int_equal(whole_count(&whole, MT_RECORD_MODULE_GONE), 0);
    for (size_t i = 0; i < whole.definition_count; i++) {
        const struct mt_definition *module = &whole.definitions[i];
        if (module->type == MT_RECORD_MODULE) assert_ptr_equal(module_at(&whole, module->start), module);
    }
    whole_free(&whole);
    dlclose(plugin);
    free(path);
}

static void stacks_of_a_vanished_module_are_new_ones(void **state) {
    // given a stack through a module that is then unloaded, and one that is not
    char *path = path_in(state, "trace.bin");
    struct mt_trace *trace = trace_make(path);
    void *plugin = load_plugin();
    const struct mt_frame through[] = {{.address = (uint64_t)(uintptr_t)dlsym(plugin, "plugin_function")},
                                       {.address = here()}};
    const struct mt_frame beside = {.address = here()};
    uint32_t through_id = mt_define_stack(trace, through, 2), beside_id = mt_define_stack(trace, &beside, 1);
    dlclose(plugin);
    mt_modules_refresh(trace);

    // when both appear again
    uint32_t again = mt_define_stack(trace, through, 2);

    // then what the vanished module's addresses mean now is another node
    assert_int_not_equal(again, 0);
    assert_int_not_equal(again, through_id);
    assert_int_equal(mt_define_stack(trace, &beside, 1), beside_id);
    mt_trace_finish(trace);
    struct whole whole = whole_read(path);
    const struct mt_definition *module = module_at(&whole, through[0].address);
    const struct mt_definition *gone = whole_find(&whole, MT_RECORD_MODULE_GONE, module->id);
    assert_true(whole_find(&whole, MT_RECORD_NATIVE_FRAME, through_id) < gone);
    assert_true(gone < whole_find(&whole, MT_RECORD_NATIVE_FRAME, again));
    whole_free(&whole);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_program_and_its_libraries_are_listed, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(the_vdso_has_its_name, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(nothing_new_is_nothing_written, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_new_address_brings_its_module, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_stack_asks_for_its_modules_alone, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(stacks_of_a_vanished_module_are_new_ones, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
