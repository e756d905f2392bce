/*
 * The NVTX feed in front of another tool's injection: both see every call, and each gets its own handles back.
 */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtMem.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <stdlib.h>

#include "preload/nvtx/feed.h"
#include "tests/fakes/recorder.h"

static void *tool; // tests/fakes/nvtx_tool.c

static void the_variables_point_to_us_and_on_to_the_tool(void **state) {
    (void)state;
    mt_nvtx_chain("/opt/tool.so", "/opt/libmemtrace.so");
    assert_string_equal(getenv("NVTX_INJECTION64_PATH"), "/opt/libmemtrace.so");
    assert_string_equal(getenv(MT_NVTX_NEXT_VARIABLE), "/opt/tool.so");
}

static void both_see_a_push_and_the_tool_answers(void **state) {
    (void)state;
    fake_recorder_reset(true);
    assert_int_equal(nvtxRangePushA("a"), 100);
    assert_int_equal(nvtxRangePushA("b"), 101);
    assert_int_equal(nvtxRangePop(), 1); // the tool has no pop
    assert_int_equal(nvtxRangePop(), 0);
    assert_int_equal(*(int *)dlsym(tool, "fake_tool_pushes"), 2);
    assert_string_equal(fake_recorder_take(), "pushed nvtxRangePush text=a\n"
                                              "pushed nvtxRangePush text=b\n"
                                              "popped nvtxRangePop\n"
                                              "popped nvtxRangePop\n");
}

static void a_range_has_the_tools_id(void **state) {
    (void)state;
    fake_recorder_reset(true);
    nvtxRangeEnd(nvtxRangeStartA("load"));
    assert_string_equal(fake_recorder_take(), "started nvtxRangeStart text=load range=7000\n"
                                              "ended nvtxRangeEnd range=7000\n");
}

static void the_tool_gets_its_own_handles(void **state) {
    (void)state;
    fake_recorder_reset(true);
    nvtxDomainHandle_t domain = nvtxDomainCreateA("net");
    nvtxEventAttributes_t event = {.version = NVTX_VERSION, .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE};
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event.message.registered = nvtxDomainRegisterStringA(domain, "conv");
    nvtxDomainMarkEx(domain, &event);
    assert_string_equal(*(const char **)dlsym(tool, "fake_tool_marked"), "conv");
    assert_string_equal(fake_recorder_take(), "marked nvtxMark text=conv domain=net\n");
}

static void the_tool_gets_its_own_string_for_a_resource(void **state) {
    (void)state;
    fake_recorder_reset(true);
    nvtxDomainHandle_t domain = nvtxDomainCreateA("net");
    nvtxResourceAttributes_t lock = {.version = NVTX_VERSION, .size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE};
    lock.identifierType = NVTX_RESOURCE_TYPE_GENERIC_POINTER;
    lock.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    lock.message.registered = nvtxDomainRegisterStringA(domain, "queue");
    assert_ptr_equal(nvtxDomainResourceCreate(domain, &lock), (void *)0x4560);
    assert_string_equal(*(const char **)dlsym(tool, "fake_tool_marked"), "queue");
}

static void the_tool_never_sees_our_domains_in_an_extension(void **state) {
    (void)state;
    nvtxExtModuleInfo_t payloads = {.structSize = sizeof payloads, .moduleId = 2};
    assert_int_equal(InitializeInjectionNvtxExtension(&payloads), 0);
    assert_int_equal(*(int *)dlsym(tool, "fake_tool_extensions"), 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_see_a_push_and_the_tool_answers),
        cmocka_unit_test(a_range_has_the_tools_id),
        cmocka_unit_test(the_tool_gets_its_own_handles),
        cmocka_unit_test(the_tool_gets_its_own_string_for_a_resource),
        cmocka_unit_test(the_tool_never_sees_our_domains_in_an_extension),
        cmocka_unit_test(the_variables_point_to_us_and_on_to_the_tool),
    };
    // The tool lies beside this program.
    char path[4096];
    (void)argc;
    snprintf(path, sizeof path, "%s.libs/libnvtx_tool.so", argv[0]);
    tool = dlopen(path, RTLD_LAZY);
    if (!tool) {
        print_error("%s\n", dlerror());
        return 1;
    }
    unsetenv("NVTX_INJECTION64_PATH");
    setenv(MT_NVTX_NEXT_VARIABLE, path, 1);
    InitializeInjectionNvtx2_fnptr = InitializeInjectionNvtx2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
