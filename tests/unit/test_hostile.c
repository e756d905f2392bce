/*
 * Traces that no tracer wrote: built byte by byte, since the writer refuses to. Whatever they hold, all views come to
 * an end, soon and in little memory.
 */
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/scripts.h"
#include "tracer/codec.h"
#include "viewer/frameworks/shape.h"
#include "viewer/symbols/demangle.h"
#include "viewer/symbols/symfs.h"
#include "viewer/views/views.h"

// A trace in the making: one chunk of definitions, then one of events.
struct forged {
    uint8_t bytes[MT_HEADER_BYTES + 2 * MT_CHUNK_BYTES];
    struct mt_chunk_header *chunks[2];
    uint8_t *ends[2];
};

static struct forged *forge(void) {
    struct forged *forged = test_calloc(1, sizeof(*forged));
    struct mt_file_header header = {
        .version = MT_VERSION,
        .header_bytes = MT_HEADER_BYTES,
        .chunk_bytes = MT_CHUNK_BYTES,
        .state = MT_STATE_FINISHED,
    };
    memcpy(header.magic, MT_MAGIC, sizeof(header.magic));
    memcpy(forged->bytes, &header, sizeof(header));
    for (uint32_t i = 0; i < 2; i++) {
        uint8_t *at = forged->bytes + MT_HEADER_BYTES + i * MT_CHUNK_BYTES;
        forged->chunks[i] = (struct mt_chunk_header *)at;
        *forged->chunks[i] = (struct mt_chunk_header){
            .magic = MT_CHUNK_MAGIC, .kind = i ? MT_CHUNK_EVENTS : MT_CHUNK_DEFINITIONS, .index = i};
        forged->ends[i] = at + sizeof(struct mt_chunk_header);
    }
    return forged;
}

// Adds an extended record: its numbers, then text.
static void add(struct forged *forged, enum mt_record type, const uint64_t *numbers, size_t count, const char *text) {
    uint8_t fields[256] = {0}, *end = fields, **at = &forged->ends[type == MT_RECORD_EVENT];
    for (size_t i = 0; i < count; i++) end = mt_put_varint(end, numbers[i]);
    size_t bytes = (size_t)(end - fields), text_bytes = strlen(text);
    *(*at)++ = (uint8_t)type;
    *at = mt_put_varint(*at, bytes + text_bytes);
    memcpy(*at, fields, bytes);
    memcpy(*at + bytes, text, text_bytes);
    *at += bytes + text_bytes;
    forged->chunks[type == MT_RECORD_EVENT]->records++;
}
#define ADD(forged, type, text, ...)                                                                                   \
    add(forged, type, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), text)

static size_t show_all(void **state, struct forged *forged, const char *wanted) {
    struct mt_options options = {.top = 20, .by = mt_by_default(), .device = MT_ALL_DEVICES};
    struct mt_report report;
    char *path = path_in(state, "forged.bin"), *error = NULL;
    size_t view_count, found = 0;
    const struct mt_view *views = mt_views(&view_count);
    for (int i = 0; i < 2; i++)
        forged->chunks[i]->used = (uint32_t)(forged->ends[i] - (uint8_t *)(forged->chunks[i] + 1));
    bytes_write(path, forged->bytes, sizeof(forged->bytes));
    test_free(forged);
    assert_true(mt_report_open(path, &options, &report, &error));
    for (size_t i = 0; i < view_count; i++) {
        char *text = script_show(&report, views[i].show);
        if (wanted && strstr(text, wanted)) found++;
        free(text);
    }
    mt_report_close(&report);
    free(path);
    return found;
}

static void test_a_frame_whose_caller_is_missing_ends_its_stack(void **state) {
    struct forged *forged = forge();
    ADD(forged, MT_RECORD_STRING, "/lib/libtorch.so", 1);
    ADD(forged, MT_RECORD_MODULE, "", 1, 0x1000, 0x2000, 0, 1);
    ADD(forged, MT_RECORD_NATIVE_FRAME, "", 5, 3, mt_zigzag(0x1234)); // frame 3 is nowhere
    ADD(forged, MT_RECORD_EVENT, "", MT_EFFECT_BACKWARD, 1, 0, 5);
    ADD(forged, MT_RECORD_EVENT, "", MT_EFFECT_BACKWARD, 1, 0, 3);
    assert_int_equal(show_all(state, forged, "backward - | libtorch.so+0x1234"), 1);
}

static void test_numbers_beyond_what_is_defined_take_no_memory(void **state) {
    static const enum mt_record kinds[] = {MT_RECORD_STRING, MT_RECORD_MODULE,  MT_RECORD_PYTHON_FRAME,
                                           MT_RECORD_CODE,   MT_RECORD_API,     MT_RECORD_KERNEL,
                                           MT_RECORD_DEVICE, MT_RECORD_CONTEXT, MT_RECORD_LAUNCH_SHAPE};
    struct forged *forged = forge();
    struct rusage before, after;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        ADD(forged, kinds[i], "", 120000, 0, 0, 0, 0, 0, 0, 0, 0); // the file has as many bytes
    getrusage(RUSAGE_SELF, &before);
    show_all(state, forged, NULL);
    getrusage(RUSAGE_SELF, &after);
    assert_in_range(after.ru_maxrss - before.ru_maxrss, 0, 8192); // KiB
}

// 100 stacks of 1500 frames each: what takes their square for each event is noticed by the runner's limit of time.
static void test_deep_stacks_end(void **state) {
    struct forged *forged = forge();
    ADD(forged, MT_RECORD_STRING, "deep.py", 1);
    ADD(forged, MT_RECORD_CODE, "", 1, 1, 1, 1);
    for (uint64_t i = 1; i <= 1500; i++) ADD(forged, MT_RECORD_PYTHON_FRAME, "", i, i - 1, 1, i);
    ADD(forged, MT_RECORD_EVENT, "", MT_EFFECT_MARKED, 1, 0, 1500);
    // Frame 1025 has no caller any more: the stack has the innermost 476.
    assert_int_equal(show_all(state, forged, "deep.py:1026 deep.py < deep.py:1025 deep.py\n"), 1);
}

static void test_demangling_is_bounded(void **state) {
    // f<...> of pairs of the pair before: the text doubles with each S_.
    char name[512] = "_Z1fI1aI1bE";
    (void)state;
    for (int i = 0; i < 26; i++) {
        char pair[16];
        snprintf(pair, sizeof(pair), i ? "S0_IS%c_S%c_E" : "S0_IS2_S2_E", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i + 2],
                 "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i + 2]);
        strcat(name, pair);
    }
    strcat(name, "Evv");
    char *plain = mt_demangle(name);
    assert_in_range(strlen(plain), 1, 2048 + sizeof("…"));
    free(plain);

    char *long_name = test_malloc(100001);
    memset(long_name, 'x', 100000);
    long_name[100000] = '\0';
    plain = mt_demangle(long_name);
    assert_in_range(strlen(plain), 2048, 2048 + sizeof("…"));
    free(plain);
    test_free(long_name);
}

static void test_demangled_names_are_printable(void **state) {
    static const char *const names[][2] = {
        {"_Z4\xc2\x9b"
         "2Jv",
         "\\x9b2J"},                 // CSI, as a control character of Unicode
        {"_Z4\x1b[2Jv", "\\x1b[2J"}, // and of ASCII
        {"_Z5\xe2\x80\xae"
         "abv",
         "\\u202eab"}, // right to left from here on
        {"plain\n\x1b[31m", "plain\\n\\x1b[31m"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        char *plain = mt_demangle(names[i][0]);
        assert_string_equal(plain, names[i][1]);
        free(plain);
    }
}

static void test_labels_of_many_brackets_end(void **state) {
    size_t bytes = 1 << 20;
    char *label = test_malloc(bytes + 1), shape[MT_SHAPE_BYTES];
    (void)state;
    for (size_t i = 0; i < bytes; i++) label[i] = "(1)"[i % 3];
    label[bytes] = '\0';
    assert_false(mt_has_shape(label));
    assert_false(mt_shape_of(label, 4, shape));
    test_free(label);
}

static void expect_opened(bool expected, int file) {
    assert_int_equal(file >= 0, expected);
    if (file >= 0) close(file);
}

static void test_only_regular_files_within_the_folder_are_opened(void **state) {
    char *pipe = path_in(state, "pipe"), *link = path_in(state, "link"), *file = path_in(state, "file");
    bytes_write(file, "text", 4);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(symlink("/etc/passwd", link), 0);
    expect_opened(true, mt_open_regular(file));
    expect_opened(false, mt_open_regular(pipe));
    expect_opened(false, mt_open_regular("/dev/zero"));
    expect_opened(false, mt_open_regular(*state));
    expect_opened(true, mt_open_below(*state, "/file"));
    expect_opened(true, mt_open_below("/", file));
    expect_opened(false, mt_open_below(*state, "/pipe"));
    expect_opened(false, mt_open_below(*state, "/link"));
    expect_opened(false, mt_open_below(*state, "/../../../../../../etc/passwd"));
    free(pipe);
    free(link);
    free(file);
}

static void expect_text(void **state, const char *key, const char *value, bool expected) {
    struct script *script = script_begin(state);
    char *path = path_in(state, "secret.py"), frame[256];
    bytes_write(path, "the secret\n", 11);
    if (key) mt_define_fact(script->trace, key, value);
    snprintf(frame, sizeof(frame), "f %s:1", path);
    script_alloc(script, script->malloc_api, 0x1000, MIB, script_stack(script, frame, NULL));
    char *text = script_show(script_report(script), mt_view_source);
    assert_int_equal(strstr(text, "the secret") != NULL, expected);
    free(text);
    free(path);
    script_close(script);
}

static void test_what_anothers_trace_names_is_not_shown(void **state) {
    expect_text(state, NULL, NULL, true);
    expect_text(state, "host", "elsewhere", false);
    expect_text(state, "user", "4242", false);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_a_frame_whose_caller_is_missing_ends_its_stack),
        TEST(test_numbers_beyond_what_is_defined_take_no_memory),
        TEST(test_deep_stacks_end),
        TEST(test_demangling_is_bounded),
        TEST(test_demangled_names_are_printable),
        TEST(test_labels_of_many_brackets_end),
        TEST(test_only_regular_files_within_the_folder_are_opened),
        TEST(test_what_anothers_trace_names_is_not_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
