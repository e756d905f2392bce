/*
 * The NVTX feed, driven by the real NVTX headers: this program embeds NVTX as any library does, and has the feed linked
 * in as its injection.
 */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtMem.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "preload/guard.h"
#include "preload/nvtx/feed.h"
#include "tests/fakes/recorder.h"

static int begin_session(void **state) {
    (void)state;
    fake_recorder_reset(true);
    return 0;
}

static nvtxEventAttributes_t message(const char *text) {
    nvtxEventAttributes_t event = {.version = NVTX_VERSION, .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE};
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = text;
    return event;
}

static void push_and_pop_return_the_level(void **state) {
    (void)state;
    assert_int_equal(nvtxRangePushA("step"), 0);
    assert_int_equal(nvtxRangePushA("forward"), 1);
    assert_int_equal(nvtxRangePop(), 1);
    assert_int_equal(nvtxRangePop(), 0);
    assert_string_equal(fake_recorder_take(), "pushed nvtxRangePush text=step\n"
                                              "pushed nvtxRangePush text=forward\n"
                                              "popped nvtxRangePop\n"
                                              "popped nvtxRangePop\n");
}

static void a_pop_without_a_push_is_refused(void **state) {
    (void)state;
    assert_int_equal(nvtxRangePop(), -1);
    assert_string_equal(fake_recorder_take(), "");
}

static void levels_are_counted_per_domain(void **state) {
    (void)state;
    nvtxDomainHandle_t domain = nvtxDomainCreateA("net");
    nvtxEventAttributes_t event = message("layer 1");
    event.category = 3;
    assert_int_equal(nvtxRangePushA("outer"), 0);
    assert_int_equal(nvtxDomainRangePushEx(domain, &event), 0);
    assert_int_equal(nvtxRangePop(), 0);
    assert_int_equal(nvtxDomainRangePop(domain), 0);
    assert_string_equal(fake_recorder_take(), "pushed nvtxRangePush text=outer\n"
                                              "pushed nvtxRangePush text=layer 1 category=3 domain=net\n"
                                              "popped nvtxRangePop\n"
                                              "popped nvtxRangePop domain=net\n");
}

static void wide_texts_become_utf8(void **state) {
    (void)state;
    nvtxMarkW(L"Schritt \u00fc \u20ac \U0001f600");
    assert_string_equal(fake_recorder_take(), "marked nvtxMark text=Schritt \u00fc \u20ac \U0001f600\n");
}

static void registered_strings_stand_for_their_text(void **state) {
    (void)state;
    nvtxDomainHandle_t domain = nvtxDomainCreateW(L"net");
    nvtxStringHandle_t string = nvtxDomainRegisterStringA(domain, "conv");
    nvtxEventAttributes_t event = {.version = NVTX_VERSION, .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE};
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event.message.registered = string;
    nvtxDomainMarkEx(domain, &event);
    assert_ptr_equal(nvtxDomainRegisterStringW(domain, L"conv"), string);
    assert_string_equal(fake_recorder_take(), "marked nvtxMark text=conv domain=net\n");
}

static void equal_domain_names_are_one_domain(void **state) {
    (void)state;
    nvtxDomainHandle_t domain = nvtxDomainCreateA("net");
    nvtxDomainDestroy(domain);
    assert_ptr_equal(nvtxDomainCreateA("net"), domain);
    assert_ptr_not_equal(nvtxDomainCreateA("other"), domain);
}

static void process_ranges_carry_their_id(void **state) {
    char expected[200];
    (void)state;
    nvtxRangeId_t first = nvtxRangeStartA("load");
    nvtxRangeId_t second = nvtxRangeStartW(L"train");
    assert_int_not_equal(first, second);
    nvtxRangeEnd(first);
    nvtxRangeEnd(second);
    snprintf(expected, sizeof expected,
             "started nvtxRangeStart text=load range=%d\n"
             "started nvtxRangeStart text=train range=%d\n"
             "ended nvtxRangeEnd range=%d\n"
             "ended nvtxRangeEnd range=%d\n",
             (int)first, (int)second, (int)first, (int)second);
    assert_string_equal(fake_recorder_take(), expected);
}

// torch.autograd.profiler.emit_nvtx(record_shapes=True) writes such texts; each number would make a text of its own.
static void sequence_numbers_of_pytorch_are_split_off(void **state) {
    (void)state;
    nvtxMarkA("aten::linear, seq = 41, op_id = 977, sizes = [[64, 1024], [10, 1024], []], input_op_ids = [(9,0)]");
    nvtxMarkA("aten::linear, op_id = 978, sizes = [[64, 1024]]");
    nvtxMarkA("a, b, seq");
    assert_string_equal(fake_recorder_take(),
                        "marked nvtxMark text=aten::linear, sizes = [[64, 1024], [10, 1024], []] value=41\n"
                        "marked nvtxMark text=aten::linear, sizes = [[64, 1024]]\n"
                        "marked nvtxMark text=a, b, seq\n");
}

static void names_are_kept(void **state) {
    (void)state;
    nvtxNameOsThreadA(41, "loader");
    nvtxNameOsThreadW(42, L"writer");
    nvtxNameCategoryA(5, "memory");
    assert_string_equal(fake_recorder_take(), "thread 41=loader\nthread 42=writer\nfact nvtx-category::5=memory\n");
}

static void odd_arguments_do_no_harm(void **state) {
    (void)state;
    nvtxEventAttributes_t empty = {0};
    nvtxEventAttributes_t unknown = message("x");
    unknown.messageType = 99;
    unknown.payloadType = 1 << 20;
    nvtxMarkA(NULL);
    nvtxMarkEx(NULL);
    nvtxMarkEx(&empty);
    nvtxMarkEx(&unknown);
    assert_string_equal(fake_recorder_take(), "marked nvtxMark text=\n"
                                              "marked nvtxMark text=\n"
                                              "marked nvtxMark text=\n"
                                              "marked nvtxMark text=\n");
}

static void attach(void *unused) {
    (void)unused;
    mt_nvtx_thread_attached();
}

static void what_is_open_when_the_trace_begins_is_written_then(void **state) {
    (void)state;
    // Given: ranges opened, and some closed again, before there is a trace.
    fake_recorder_reset(false);
    nvtxDomainHandle_t domain = nvtxDomainCreateA("net");
    nvtxEventAttributes_t event = message("inner");
    nvtxRangePushA("epoch");
    nvtxRangePushA("closed");
    nvtxRangePop();
    nvtxDomainRangePushEx(domain, &event);
    nvtxRangeId_t closed = nvtxRangeStartA("closed too");
    nvtxRangeId_t open = nvtxRangeStartA("job");
    nvtxRangeEnd(closed);
    nvtxMarkA("unseen");
    assert_string_equal(fake_recorder_take(), "");

    // When: this thread gets its stream in a new trace.
    fake_recorder_reset(true);
    assert_true(mt_guarded(attach, NULL));

    // Then: the open ones are there, once.
    char expected[200];
    snprintf(expected, sizeof expected,
             "started nvtxRangeStart text=job range=%d\n"
             "pushed nvtxRangePush text=epoch\n"
             "pushed nvtxRangePush text=inner domain=net\n",
             (int)open);
    assert_string_equal(fake_recorder_take(), expected);
    mt_guarded(attach, NULL);
    assert_string_equal(fake_recorder_take(), "");
    assert_int_equal(nvtxDomainRangePop(domain), 0);
    assert_int_equal(nvtxRangePop(), 0);
    nvtxRangeEnd(open);
}

static size_t count_lines(const char *text, const char *beginning) {
    size_t count = 0;
    for (; text && *text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
        count += strncmp(text, beginning, strlen(beginning)) == 0;
    return count;
}

// As many as the recorder of this test has room to tell.
static void any_number_may_be_open_when_the_trace_begins(void **state) {
    enum { OPEN = 60 };
    nvtxRangeId_t ids[OPEN];
    (void)state;
    fake_recorder_reset(false);
    for (int i = 0; i < OPEN; i++) nvtxRangePushA("p");
    for (int i = 0; i < OPEN; i++) ids[i] = nvtxRangeStartA("s");
    for (int i = 0; i < OPEN; i += 2) nvtxRangeEnd(ids[i]);
    fake_recorder_reset(true);
    assert_true(mt_guarded(attach, NULL));
    const char *told = fake_recorder_take();
    assert_int_equal(count_lines(told, "pushed "), OPEN);
    assert_int_equal(count_lines(told, "started "), OPEN / 2);
    for (int i = OPEN; i-- > 0;) assert_int_equal(nvtxRangePop(), i);
    for (int i = 1; i < OPEN; i += 2) nvtxRangeEnd(ids[i]);
    fake_recorder_take();
}

static void there_may_be_any_number_of_domains(void **state) {
    enum { DOMAINS = 200 };
    nvtxDomainHandle_t domains[DOMAINS];
    nvtxEventAttributes_t event = message("r");
    char name[16], expected[64];
    (void)state;
    for (int i = 0; i < DOMAINS; i++) {
        snprintf(name, sizeof name, "many %d", i);
        domains[i] = nvtxDomainCreateA(name);
        assert_ptr_equal(nvtxDomainCreateA(name), domains[i]);
        assert_int_equal(nvtxDomainRangePushEx(domains[i], &event), 0);
        snprintf(expected, sizeof expected, "pushed nvtxRangePush text=r domain=many %d\n", i);
        assert_string_equal(fake_recorder_take(), expected);
    }
    for (int i = 0; i < DOMAINS; i++) assert_int_equal(nvtxDomainRangePop(domains[i]), 0);
    fake_recorder_take();
}

static void initialising_again_changes_nothing(void **state) {
    (void)state;
    assert_int_equal(InitializeInjectionNvtx2(nvtxGetExportTable_v3), 1);
    nvtxMarkA("once");
    assert_string_equal(fake_recorder_take(), "marked nvtxMark text=once\n");
}

static const void *no_tables(uint32_t id) {
    (void)id;
    return NULL;
}

static void unknown_tables_are_left_alone(void **state) {
    (void)state;
    nvtxExtModuleInfo_t payloads = {.structSize = sizeof payloads, .moduleId = 2, .compatId = 0x0104};
    nvtxExtModuleInfo_t newer = {.structSize = sizeof newer, .moduleId = NVTX_EXT_MODULEID_MEM, .compatId = 0x0999};
    assert_int_equal(InitializeInjectionNvtx2(no_tables), 0);
    assert_int_equal(InitializeInjectionNvtxExtension(&payloads), 0);
    assert_int_equal(InitializeInjectionNvtxExtension(&newer), 0);
}

static nvtxMemHeapHandle_t register_heap(uint32_t usage) {
    nvtxMemVirtualRangeDesc_t range = {.size = 4096, .ptr = (void *)0x10000};
    nvtxMemHeapDesc_t heap = {.extCompatID = NVTX_EXT_COMPATID_MEM, .structSize = sizeof heap, .usage = usage};
    heap.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    heap.typeSpecificDescSize = sizeof range;
    heap.typeSpecificDesc = &range;
    heap.messageType = NVTX_MESSAGE_TYPE_ASCII;
    heap.message.ascii = "arena";
    return nvtxMemHeapRegister(NULL, &heap);
}

static void register_regions(nvtxMemHeapHandle_t heap, const nvtxMemVirtualRangeDesc_t *ranges, size_t count,
                             nvtxMemRegionHandle_t *handles) {
    nvtxMemRegionsRegisterBatch_t batch = {.extCompatID = NVTX_EXT_COMPATID_MEM, .structSize = sizeof batch};
    batch.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    batch.heap = heap;
    batch.regionCount = count;
    batch.regionDescElementSize = sizeof ranges[0];
    batch.regionDescElements = ranges;
    batch.regionHandleElementsOut = handles;
    nvtxMemRegionsRegister(NULL, &batch);
}

static void regions_are_blocks_of_their_heap(void **state) {
    (void)state;
    nvtxMemHeapHandle_t heap = register_heap(NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR);
    nvtxMemVirtualRangeDesc_t ranges[] = {{512, (void *)0x10000}, {256, (void *)0x10200}};
    nvtxMemRegionHandle_t handles[2];
    register_regions(heap, ranges, 2, handles);

    nvtxMemRegionRef_t gone = {.handle = handles[1]};
    nvtxMemRegionsUnregisterBatch_t batch = {.extCompatID = NVTX_EXT_COMPATID_MEM, .structSize = sizeof batch};
    batch.refType = NVTX_MEM_REGION_REF_TYPE_HANDLE;
    batch.refCount = 1;
    batch.refElementSize = sizeof gone;
    batch.refElements = &gone;
    nvtxMemRegionsUnregister(NULL, &batch);
    nvtxMemHeapUnregister(NULL, heap);

    char expected[600];
    unsigned number = (unsigned)(uintptr_t)heap;
    snprintf(expected, sizeof expected,
             "pool-created nvtxMemHeapRegister pool=%u address=0x10000 bytes=4096 text=arena\n"
             "allocated nvtxMemRegionsRegister address=0x10000 bytes=512 pool=%u\n"
             "allocated nvtxMemRegionsRegister address=0x10200 bytes=256 pool=%u\n"
             "freed nvtxMemRegionsUnregister address=0x10200\n"
             "pool-destroyed nvtxMemHeapUnregister pool=%u\n",
             number, number, number, number);
    assert_string_equal(fake_recorder_take(), expected);
}

static void regions_can_be_named_and_resized(void **state) {
    (void)state;
    nvtxMemVirtualRangeDesc_t range = {512, (void *)0x20000};
    register_regions(NVTX_MEM_HEAP_HANDLE_PROCESS_WIDE, &range, 1, NULL);

    nvtxMemRegionNameDesc_t name = {.nameType = NVTX_MESSAGE_TYPE_ASCII, .region.pointer = range.ptr};
    name.name.ascii = "weights";
    nvtxMemRegionsNameBatch_t names = {.extCompatID = NVTX_EXT_COMPATID_MEM, .structSize = sizeof names};
    names.regionCount = 1;
    names.regionElementSize = sizeof name;
    names.regionElements = &name;
    nvtxMemRegionsName(NULL, &names);

    range.size = 1024;
    nvtxMemRegionsResizeBatch_t resize = {.extCompatID = NVTX_EXT_COMPATID_MEM, .structSize = sizeof resize};
    resize.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    resize.regionDescCount = 1;
    resize.regionDescElementSize = sizeof range;
    resize.regionDescElements = &range;
    nvtxMemRegionsResize(NULL, &resize);
    assert_string_equal(fake_recorder_take(), "allocated nvtxMemRegionsRegister address=0x20000 bytes=512\n"
                                              "named nvtxMemRegionsName address=0x20000 text=weights\n"
                                              "freed nvtxMemRegionsResize address=0x20000\n"
                                              "allocated nvtxMemRegionsResize address=0x20000 bytes=1024\n");
}

static void layout_heaps_hold_no_blocks(void **state) {
    (void)state;
    nvtxMemHeapHandle_t heap = register_heap(NVTX_MEM_HEAP_USAGE_TYPE_LAYOUT);
    nvtxMemVirtualRangeDesc_t range = {512, (void *)0x10000};
    nvtxMemRegionHandle_t handle = NULL;
    register_regions(heap, &range, 1, &handle);
    assert_non_null(handle);
    assert_string_equal(fake_recorder_take(), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(push_and_pop_return_the_level, begin_session),
        cmocka_unit_test_setup(a_pop_without_a_push_is_refused, begin_session),
        cmocka_unit_test_setup(levels_are_counted_per_domain, begin_session),
        cmocka_unit_test_setup(wide_texts_become_utf8, begin_session),
        cmocka_unit_test_setup(registered_strings_stand_for_their_text, begin_session),
        cmocka_unit_test_setup(equal_domain_names_are_one_domain, begin_session),
        cmocka_unit_test_setup(process_ranges_carry_their_id, begin_session),
        cmocka_unit_test_setup(sequence_numbers_of_pytorch_are_split_off, begin_session),
        cmocka_unit_test_setup(names_are_kept, begin_session),
        cmocka_unit_test_setup(odd_arguments_do_no_harm, begin_session),
        cmocka_unit_test_setup(what_is_open_when_the_trace_begins_is_written_then, begin_session),
        cmocka_unit_test_setup(any_number_may_be_open_when_the_trace_begins, begin_session),
        cmocka_unit_test_setup(there_may_be_any_number_of_domains, begin_session),
        cmocka_unit_test_setup(initialising_again_changes_nothing, begin_session),
        cmocka_unit_test_setup(unknown_tables_are_left_alone, begin_session),
        cmocka_unit_test_setup(regions_are_blocks_of_their_heap, begin_session),
        cmocka_unit_test_setup(regions_can_be_named_and_resized, begin_session),
        cmocka_unit_test_setup(layout_heaps_hold_no_blocks, begin_session),
    };
    // Weak variables of the NVTX headers: an injection that is linked in.
    unsetenv("NVTX_INJECTION64_PATH");
    InitializeInjectionNvtx2_fnptr = InitializeInjectionNvtx2;
    InitializeInjectionNvtxExtension_fnptr = InitializeInjectionNvtxExtension;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
