/*
 * Addresses of this very program, resolved through its own debugging information; and what is left when that is
 * missing, another program's, or damaged.
 */
#include "tests/unit/scripts.h"
#include "viewer/symbols/debuginfo.h"
#include "viewer/symbols/demangle.h"
#include "viewer/symbols/places.h"
#include "viewer/symbols/symfs.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((noinline)) static uint64_t caller_address(void) {
    return (uintptr_t)__builtin_return_address(0);
}

static uint64_t inlined_line, outer_line;

__attribute__((always_inline)) static inline uint64_t inlined(void) {
    inlined_line = __LINE__ + 1;
    uint64_t address = caller_address();
    __asm__ volatile(""); // keeps the call from becoming a jump
    return address;
}

__attribute__((noinline)) static uint64_t outer(void) {
    outer_line = __LINE__ + 1;
    uint64_t address = inlined();
    __asm__ volatile("");
    return address;
}

static struct mt_places places_of(struct script *script, uint64_t address) {
    struct mt_frame frame = {.address = address};
    uint32_t stack = mt_define_stack(script->trace, &frame, 1);
    struct mt_report *report = script_report(script);
    const struct mt_node *node = mt_definitions_node(report->definitions, stack);
    assert_non_null(node);
    return mt_symbols_node(report->symbols, node);
}

static void test_a_return_address_is_the_line_of_the_call_inlined_or_not(void **state) {
    struct script *script = script_begin(state);
    uint64_t address = outer();
    struct mt_places places = places_of(script, address);
    assert_int_equal(places.count, 2);
    assert_string_equal(places.items[0]->function, "inlined");
    assert_int_equal(places.items[0]->line, inlined_line);
    assert_string_equal(places.items[1]->function, "outer");
    assert_int_equal(places.items[1]->line, outer_line);
    assert_string_equal(mt_base_name(places.items[1]->file), "test_symbols.c");
    script_close(script);
}

static void test_an_address_outside_all_modules_is_shown_as_it_is(void **state) {
    struct script *script = script_begin(state);
    struct mt_places places = places_of(script, 0x1234);
    assert_int_equal(places.count, 1);
    assert_string_equal(mt_place_text(places.items[0]).text, "0x1234");
    script_close(script);
}

// The path, build-id and load bias of this program.
struct self {
    char path[512];
    uint8_t id[64];
    size_t id_bytes;
    uint64_t bias;
};

static int find_self(struct dl_phdr_info *info, size_t size, void *user) {
    struct self *self = user;
    (void)size;
    self->bias = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_NOTE) continue;
        const char *at = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        const char *end = at + info->dlpi_phdr[i].p_memsz;
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)at;
            const char *data = at + sizeof(*note) + ((note->n_namesz + 3) & ~3u);
            if (note->n_type == NT_GNU_BUILD_ID) {
                assert_in_range(note->n_descsz, 1, sizeof(self->id));
                self->id_bytes = note->n_descsz;
                memcpy(self->id, data, note->n_descsz);
            }
            at = data + ((note->n_descsz + 3) & ~3u);
        }
    }
    return 1; // the program comes first
}

static struct self this_program(void) {
    struct self self = {0};
    dl_iterate_phdr(find_self, &self);
    ssize_t length = readlink("/proc/self/exe", self.path, sizeof(self.path) - 1);
    assert_true(length > 0);
    return self;
}

static void test_a_program_built_anew_is_not_taken_for_the_old_one(void **state) {
    (void)state;
    struct self self = this_program();
    struct mt_debuginfo *info = NULL;
    self.id[0] ^= 1;
    assert_int_equal(mt_debuginfo_open(self.path, mt_open_regular(self.path), self.id, self.id_bytes, &info),
                     MT_DEBUGINFO_REPLACED);
    assert_null(info);
    assert_int_equal(mt_debuginfo_open("cmdline", mt_open_regular("/proc/self/cmdline"), NULL, 0, &info),
                     MT_DEBUGINFO_MISSING);
}

// A copy of this program at FOLDER/NAME, which may have one folder in it.
static void copy_self(void **state, const struct self *self, const char *name) {
    struct bytes bytes = bytes_read(self->path);
    char *path = path_in(state, name), *slash = strrchr(path, '/');
    *slash = '\0';
    mkdir(path, 0700);
    *slash = '/';
    bytes_write(path, bytes.data, bytes.count);
    free(path);
    free(bytes.data);
}

static void test_a_file_is_found_in_a_folder_by_its_path_or_its_name(void **state) {
    static const char *const names[] = {"opt/program", "program"};
    for (size_t i = 0; i < 2; i++) {
        struct self self = this_program();
        struct mt_module module = {.path = "/opt/program", .build_id = self.id, .build_id_bytes = self.id_bytes};
        copy_self(state, &self, names[i]);
        char *note;
        struct mt_debuginfo *info = mt_symfs_open(*state, true, &module, &note);
        assert_non_null(info);
        assert_null(note);
        mt_debuginfo_close(info);
        char *path = path_in(state, names[i]);
        unlink(path);
        free(path);
    }
}

static void test_another_build_in_the_folder_is_refused_and_named(void **state) {
    struct self self = this_program();
    struct mt_module module = {.path = "/opt/program", .build_id = self.id, .build_id_bytes = self.id_bytes};
    copy_self(state, &self, "program");
    self.id[0] ^= 1;
    char *note, *expected = NULL;
    assert_null(mt_symfs_open(*state, true, &module, &note));
    assert_true(asprintf(&expected,
                         "%s/program is not the file that was traced, but another build: its functions are "
                         "shown as offsets",
                         (const char *)*state) > 0);
    assert_string_equal(note, expected);
    free(expected);
    free(note);
}

static void test_a_file_that_is_nowhere_is_said_to_be_missing(void **state) {
    struct mt_module module = {.path = "/nowhere/program"};
    char *note, *expected = NULL;
    assert_null(mt_symfs_open(NULL, true, &module, &note));
    assert_string_equal(note, "/nowhere/program is not on this machine: its functions are shown as offsets");
    free(note);
    assert_null(mt_symfs_open(*state, true, &module, &note));
    assert_true(asprintf(&expected,
                         "/nowhere/program is not in %s nor on this machine: its functions are shown as "
                         "offsets",
                         (const char *)*state) > 0);
    assert_string_equal(note, expected);
    free(expected);
    free(note);
}

// Overwrites a section of an ELF file's copy with noise.
static void spoil(struct bytes *file, const char *section) {
    ElfW(Ehdr) header;
    memcpy(&header, file->data, sizeof(header));
    const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(const void *)(file->data + header.e_shoff);
    const char *names = (const char *)file->data + sections[header.e_shstrndx].sh_offset;
    for (int i = 0; i < header.e_shnum; i++) {
        if (strcmp(names + sections[i].sh_name, section) != 0) continue;
        uint32_t noise = 12345;
        for (uint64_t at = 0; at < sections[i].sh_size; at++)
            file->data[sections[i].sh_offset + at] = (uint8_t)((noise = noise * 1103515245 + 12345) >> 16);
        return;
    }
    fail_msg("no section %s", section);
}

static void test_damaged_debugging_information_leaves_the_functions_name(void **state) {
    static const char *const sections[] = {".debug_line", ".debug_info", ".debug_abbrev", ".debug_aranges"};
    struct self self = this_program();
    uint64_t address = outer() - self.bias - 1;
    for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
        struct bytes file = bytes_read(self.path);
        spoil(&file, sections[i]);
        char *path = path_in(state, "spoilt");
        bytes_write(path, file.data, file.count);

        struct mt_debuginfo *info = NULL;
        struct mt_debuginfo_frame frames[8];
        assert_int_equal(mt_debuginfo_open(path, mt_open_regular(path), self.id, self.id_bytes, &info),
                         MT_DEBUGINFO_OK);
        size_t count = mt_debuginfo_find(info, address, frames, 8);
        assert_true(count >= 1);
        assert_string_equal(frames[count - 1].function, "outer");
        mt_debuginfo_close(info);
        free(path);
        free(file.data);
    }
}

static void test_names_are_demangled_without_parameters(void **state) {
    static const struct {
        const char *mangled, *plain;
    } cases[] = {
        {"main", "main"},
        {"_ZL17parameters_createP5layer", "parameters_create"},
        {"_ZN5Model6createEi", "Model::create"},
        {"_Z3fooIiEvT_", "foo<int>"},
        {"_ZN12_GLOBAL__N_14stepEv.cold", "(anonymous namespace)::step"},
        {"_Znot_mangled", "_Znot_mangled"},
        {"_ZNSolsEi", "std::ostream::operator<<"},
        {"_ZNK3FoocvbEv", "Foo::operator bool"},
        {"_ZlsI3FooERSoS1_RKT_", "operator<< <Foo>"},
        {"_ZZ3fooiENKUlvE_clEv", "foo(int)::{lambda()#1}::operator()"},
        {"_ZZNK3Foo3barEiENKUlvE_clEv", "Foo::bar(int) const::{lambda()#1}::operator()"},
        {"_Z3fooIiEDTplfp_fp_ET_", "foo<int>"}, // decltype ({parm#1}+{parm#1}) foo<int>(int)
        {"_ZN3FooclIiEEvT_", "Foo::operator()<int>"},
        {"_ZThn16_N3Foo3barEi", "non-virtual thunk to Foo::bar"},
        {"_ZTV3Foo", "vtable for Foo"},
        {"_ZTIFvbE", "typeinfo for void (bool)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char *plain = mt_demangle(cases[i].mangled);
        assert_string_equal(plain, cases[i].plain);
        free(plain);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_a_return_address_is_the_line_of_the_call_inlined_or_not),
        TEST(test_an_address_outside_all_modules_is_shown_as_it_is),
        TEST(test_a_program_built_anew_is_not_taken_for_the_old_one),
        TEST(test_a_file_is_found_in_a_folder_by_its_path_or_its_name),
        TEST(test_another_build_in_the_folder_is_refused_and_named),
        TEST(test_a_file_that_is_nowhere_is_said_to_be_missing),
        TEST(test_damaged_debugging_information_leaves_the_functions_name),
        TEST(test_names_are_demangled_without_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
