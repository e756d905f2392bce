/*
 * What the Python feed reads of code objects: line tables (as real interpreters compiled a small function), texts in
 * every layout of PEP 393, and the key that tells a code object from the next one at its address.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/python/code.h"
#include "preload/python/deaths.h"
#include "preload/python/read.h"

/*
 * 1 def f(a):
 * 2     x = 1
 * 3
 * 4     y = (a,
 * 5          x)
 * 6     for i in a:
 * 7         y = i
 * 8     return y
 */
static const uint8_t lnotab_3_9[] = {0, 1, 4, 2, 2, 1, 2, 255, 4, 2, 8, 1, 6, 1};
static const uint8_t pep626_3_10[] = {4, 1, 2, 2, 2, 1, 4, 255, 8, 2, 6, 1, 4, 1};
static const uint8_t pep657_3_12[] = {128, 0,  216, 8,   9,  128, 65, 224, 9,   10, 216, 9,  10, 240, 3,
                                      1,   9,  12,  128, 65, 224, 13, 14,  242, 0,  1,   5,  14, 136, 1,
                                      216, 12, 13,  137, 1,  240, 3,  1,   5,   14, 224, 11, 12, 128, 72};

typedef uint32_t decoder(const uint8_t *table, size_t bytes, uint32_t first_line, uint32_t offset);

// `lines[i]` is the line of the instruction at byte 2 * i.
static void assert_lines(decoder *decode, const uint8_t *table, size_t bytes, const uint8_t *lines, size_t count) {
    for (uint32_t i = 0; i < count; i++) assert_int_equal(decode(table, bytes, 1, 2 * i), lines[i]);
}

static void lines_of_3_9(void **state) {
    static const uint8_t lines[] = {2, 2, 4, 5, 4, 4, 6, 6, 6, 6, 7, 7, 7, 8, 8};
    (void)state;
    assert_lines(mt_python_line_lnotab, lnotab_3_9, sizeof lnotab_3_9, lines, sizeof lines);
}

static void lines_of_3_10(void **state) {
    static const uint8_t lines[] = {2, 2, 4, 5, 4, 4, 6, 6, 6, 6, 7, 7, 7, 8, 8};
    (void)state;
    assert_lines(mt_python_line_pep626, pep626_3_10, sizeof pep626_3_10, lines, sizeof lines);
}

static void lines_of_3_12(void **state) {
    static const uint8_t lines[] = {1, 2, 2, 4, 5, 4, 4, 6, 6, 6, 6, 6, 7, 7, 7, 6, 8, 8};
    (void)state;
    assert_lines(mt_python_line_pep657, pep657_3_12, sizeof pep657_3_12, lines, sizeof lines);
}

static void entries_without_a_line_have_none(void **state) {
    static const uint8_t pep626[] = {4, 1, 2, 128, 2, 1};
    static const uint8_t pep657[] = {0xe8, 2, 0xf8, 0xe8, 2}; // +1 line, none, +1 line, one unit each
    (void)state;
    assert_int_equal(mt_python_line_pep626(pep626, sizeof pep626, 1, 4), 0);
    assert_int_equal(mt_python_line_pep626(pep626, sizeof pep626, 1, 6), 3);
    assert_int_equal(mt_python_line_pep657(pep657, sizeof pep657, 1, 0), 2);
    assert_int_equal(mt_python_line_pep657(pep657, sizeof pep657, 1, 2), 0);
    assert_int_equal(mt_python_line_pep657(pep657, sizeof pep657, 1, 4), 3);
}

// Each prefix of a table, and each instruction behind its end, has a line or none; nothing is read beyond it.
static void cut_tables_are_read_to_their_end(void **state) {
    (void)state;
    for (size_t bytes = 0; bytes <= sizeof pep657_3_12; bytes++) {
        uint8_t *exact = test_malloc(bytes + 1);
        memcpy(exact, pep657_3_12, bytes);
        for (uint32_t offset = 0; offset < 80; offset += 2) {
            assert_in_range(mt_python_line_pep657(exact, bytes, 1, offset), 0, 8);
            assert_in_range(mt_python_line_pep626(exact, bytes, 1, offset), 0, 500);
            assert_in_range(mt_python_line_lnotab(exact, bytes, 1, offset), 0, 500);
        }
        test_free(exact);
    }
    static const uint8_t endless[] = {0xf0, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f};
    mt_python_line_pep657(endless, sizeof endless, 1, 0);
}

// ---- texts ------------------------------------------------------------------------------------------------------

enum { KIND_1 = 1, KIND_2 = 2, KIND_4 = 4, COMPACT = 8, ASCII = 16 };

static struct mt_python_layout layout_of(int minor) {
    struct mt_python_layout layout;
    const char *why;
    assert_int_equal(mt_python_layout(minor, NULL, &layout, &why), 0);
    return layout;
}

// A str object as that layout has it; `characters` follow it, or are pointed to (not COMPACT).
static const void *make_str(const struct mt_python_layout *layout, uint64_t object[64], unsigned state,
                            const void *characters, size_t count) {
    int64_t length = (int64_t)count;
    uint32_t bits = state << layout->text.kind_shift;
    memset(object, 0, 64 * sizeof object[0]);
    object[3] = UINT64_MAX; // nobody has asked for its hash
    memcpy((char *)object + layout->text.length, &length, sizeof length);
    memcpy((char *)object + layout->text.state, &bits, sizeof bits);
    if (state & COMPACT) {
        size_t header = state & ASCII ? layout->text.ascii_bytes : layout->text.compact_bytes;
        memcpy((char *)object + header, characters, count * (state & 7));
    } else {
        memcpy((char *)object + layout->text.compact_bytes, &characters, sizeof characters);
    }
    return object;
}

static void assert_text(int minor, unsigned state, const void *characters, size_t count, const char *expected) {
    uint64_t object[64];
    char text[64];
    struct mt_python_layout layout = layout_of(minor);
    assert_true(mt_python_text(&layout, make_str(&layout, object, state, characters, count), text, sizeof text));
    assert_string_equal(text, expected);
}

static void texts_in_every_layout(void **state) {
    static const uint8_t latin1[] = {'f', 0xfc, 'r'};
    static const uint16_t ucs2[] = {'a', 0x20ac, 0xdcff}; // the last: a byte 0xff that was no UTF-8
    static const uint32_t ucs4[] = {0x1f600, 'z'};
    (void)state;
    for (int minor = 9; minor <= 12; minor++) {
        assert_text(minor, KIND_1 | COMPACT | ASCII, "forward", 7, "forward");
        assert_text(minor, KIND_1 | COMPACT, latin1, 3, "f\u00fcr");
        assert_text(minor, KIND_2 | COMPACT, ucs2, 3, "a\u20ac\xff");
        assert_text(minor, KIND_4 | COMPACT, ucs4, 2, "\U0001f600z");
        assert_text(minor, KIND_1 | ASCII, "subclass", 8, "subclass");
        assert_text(minor, KIND_2, ucs2, 2, "a\u20ac");
        assert_text(minor, KIND_1 | COMPACT | ASCII, "", 0, "");
    }
}

static void long_texts_are_cut_at_a_character(void **state) {
    static const uint16_t euros[] = {0x20ac, 0x20ac, 0x20ac};
    uint64_t object[64];
    char text[9];
    (void)state;
    struct mt_python_layout layout = layout_of(12);
    assert_true(mt_python_text(&layout, make_str(&layout, object, KIND_2 | COMPACT, euros, 3), text, sizeof text));
    assert_string_equal(text, "\u20ac\u20ac");
}

static void unreadable_texts_are_refused(void **state) {
    uint64_t object[64];
    char text[8] = "x";
    (void)state;
    struct mt_python_layout layout = layout_of(12);
    assert_false(mt_python_text(&layout, NULL, text, sizeof text));
    assert_false(mt_python_text(&layout, (void *)0x1000, text, sizeof text));
    assert_false(mt_python_text(&layout, (char *)object + 1, text, sizeof text));
    make_str(&layout, object, COMPACT /* no kind */, "", 0);
    assert_false(mt_python_text(&layout, object, text, sizeof text));
    make_str(&layout, object, KIND_1 | ASCII, (void *)0x1000, 5); // characters elsewhere, unmapped
    assert_false(mt_python_text(&layout, object, text, sizeof text));
    assert_string_equal(text, "");
}

// ---- keys -------------------------------------------------------------------------------------------------------

struct fake_code {
    uint64_t object[32];
    uint64_t name[64];
    uint64_t file[64];
};

static void set_pointer(void *object, size_t offset, const void *value) {
    memcpy((char *)object + offset, &value, sizeof value);
}

static void make_code(const struct mt_python_layout *layout, struct fake_code *code, const char *name, const char *file,
                      uint32_t version) {
    memset(code->object, 0, sizeof code->object);
    make_str(layout, code->name, KIND_1 | COMPACT | ASCII, name, strlen(name));
    make_str(layout, code->file, KIND_1 | COMPACT | ASCII, file, strlen(file));
    set_pointer(code->object, layout->code.name, code->name);
    set_pointer(code->object, layout->code.filename, code->file);
    if (layout->code.version) memcpy((char *)code->object + layout->code.version, &version, sizeof version);
}

static void code_at_a_reused_address_has_another_key(void **state) {
    struct fake_code code;
    (void)state;
    for (int minor = 9; minor <= 12; minor++) {
        struct mt_python_layout layout = layout_of(minor);
        make_code(&layout, &code, "f1", "<generated 1>", 0);
        uint64_t key = mt_python_code_key(&layout, code.object);
        assert_int_equal(mt_python_code_key(&layout, code.object), key);
        make_code(&layout, &code, "f2", "<generated 1>", 0);
        assert_int_not_equal(mt_python_code_key(&layout, code.object), key);
        make_code(&layout, &code, "f1", "<generated 2>", 0);
        assert_int_not_equal(mt_python_code_key(&layout, code.object), key);
        make_code(&layout, &code, "f1", "[generated 1>", 0);
        assert_int_not_equal(mt_python_code_key(&layout, code.object), key);
    }
}

// Any byte of the line table makes another function of it: a line may have moved in the middle.
static void the_whole_line_table_is_part_of_the_key(void **state) {
    enum { TABLE_BYTES = 200 };
    struct fake_code code;
    uint64_t lines[64] = {0};
    int64_t bytes = TABLE_BYTES;
    (void)state;
    for (int minor = 9; minor <= 11; minor++) {
        struct mt_python_layout layout = layout_of(minor);
        uint8_t *table = (uint8_t *)lines + layout.bytes.data;
        memcpy((char *)lines + layout.bytes.size, &bytes, sizeof bytes);
        make_code(&layout, &code, "f", "<string>", 0);
        set_pointer(code.object, layout.code.line_table, lines);
        uint64_t key = mt_python_code_key(&layout, code.object);
        for (size_t i = 0; i < TABLE_BYTES; i++) {
            table[i] ^= 1;
            assert_int_not_equal(mt_python_code_key(&layout, code.object), key);
            table[i] ^= 1;
        }
        assert_int_equal(mt_python_code_key(&layout, code.object), key);
    }
}

static int deaths;

static void die(void *code) {
    (void)code;
    deaths++;
}

static void the_deaths_of_code_objects_are_counted(void **state) {
    void *type[16] = {[6] = (void *)die}; // where PyTypeObject has tp_dealloc
    (void)state;
    assert_int_equal(mt_python_deaths(), 0);
    mt_python_watch_deaths(type);
    uint64_t before = mt_python_deaths();
    assert_int_not_equal(before, 0);
    assert_int_equal(mt_python_deaths(), before);
    ((void (*)(void *))type[6])(NULL);
    assert_int_equal(deaths, 1);
    assert_int_not_equal(mt_python_deaths(), before);
    // Somebody else's destructor may not tell us.
    type[6] = (void *)die;
    assert_int_equal(mt_python_deaths(), 0);
}

static void versions_tell_code_objects_apart(void **state) {
    struct fake_code code;
    (void)state;
    struct mt_python_layout layout = layout_of(12);
    make_code(&layout, &code, "f", "<string>", 7);
    uint64_t key = mt_python_code_key(&layout, code.object);
    make_code(&layout, &code, "f", "<string>", 8);
    assert_int_not_equal(mt_python_code_key(&layout, code.object), key);
}

static void pages_are_asked_for(void **state) {
    (void)state;
    char *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    mprotect(pages + 4096, 4096, PROT_NONE);
    errno = 5;
    assert_true(mt_python_readable(pages, 4096));
    assert_false(mt_python_readable(pages, 4097));
    assert_false(mt_python_readable(pages + 4096 + 8, 8));
    assert_true(mt_python_readable(pages + 8192, 4096));
    assert_false(mt_python_readable(NULL, 8));
    assert_false(mt_python_readable((void *)UINTPTR_MAX, 8));
    assert_false(mt_python_readable((void *)0x7fffffffffffff, 8));
    assert_int_equal(errno, 5);
    munmap(pages, 3 * 4096);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_3_9),
        cmocka_unit_test(lines_of_3_10),
        cmocka_unit_test(lines_of_3_12),
        cmocka_unit_test(entries_without_a_line_have_none),
        cmocka_unit_test(cut_tables_are_read_to_their_end),
        cmocka_unit_test(texts_in_every_layout),
        cmocka_unit_test(long_texts_are_cut_at_a_character),
        cmocka_unit_test(unreadable_texts_are_refused),
        cmocka_unit_test(code_at_a_reused_address_has_another_key),
        cmocka_unit_test(the_whole_line_table_is_part_of_the_key),
        cmocka_unit_test(the_deaths_of_code_objects_are_counted),
        cmocka_unit_test(versions_tell_code_objects_apart),
        cmocka_unit_test(pages_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
