/*
 * Answering lookups, see hooks/lookup.h. cuInit is hooked beside the list, to start a session that the driver does not
 * start (another injection library is set), and some of CUPTI's, to step aside (cupti/interpose.c). Runs in any
 * process, before any session, on any thread; holds no lock.
 */
#include "preload/hooks/lookup.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "preload/cupti/interpose.h"
#include "preload/elf_object.h"
#include "preload/entry_table.h"
#include "preload/guard.h"
#include "preload/hooks/data_symbols.h"
#include "preload/hooks/table.h"
#include "preload/lifetime.h"
#include "preload/newer_cuda.h"
#include "preload/real_dlsym.h"

// Functions that are hooked but not in the list. As those of the list they have two hooks (hooks/table.h): the outer
// one is exported and calls `other`, somebody else's function that the last lookup found; the inner one calls libcuda's
// own.
enum special { SPECIAL_INIT, SPECIAL_GET_PROC_ADDRESS, SPECIAL_GET_PROC_ADDRESS_V2, SPECIAL_COUNT };

#define EXPORTED(symbol) __asm__(symbol) __attribute__((visibility("default")))
CUresult CUDAAPI hook_init(unsigned flags) EXPORTED("cuInit");
CUresult CUDAAPI hook_get_proc_address(const char *name, void **function, int version, cuuint64_t flags)
    EXPORTED("cuGetProcAddress");
CUresult CUDAAPI hook_get_proc_address_v2(const char *name, void **function, int version, cuuint64_t flags,
                                          CUdriverProcAddressQueryResult *status) EXPORTED("cuGetProcAddress_v2");

static CUresult CUDAAPI inner_init(unsigned flags);
static CUresult CUDAAPI inner_get_proc_address(const char *name, void **function, int version, cuuint64_t flags);
static CUresult CUDAAPI inner_get_proc_address_v2(const char *name, void **function, int version, cuuint64_t flags,
                                                  CUdriverProcAddressQueryResult *status);

static struct {
    const char *name;
    void *outer, *inner;
    _Atomic(void *) other, behind, own; // `behind` is in the global scope behind ours
} specials[SPECIAL_COUNT] = {
    [SPECIAL_INIT] = {.name = "cuInit", .outer = (void *)hook_init, .inner = (void *)inner_init},
    [SPECIAL_GET_PROC_ADDRESS] = {.name = "cuGetProcAddress",
                                  .outer = (void *)hook_get_proc_address,
                                  .inner = (void *)inner_get_proc_address},
    [SPECIAL_GET_PROC_ADDRESS_V2] = {.name = "cuGetProcAddress_v2",
                                     .outer = (void *)hook_get_proc_address_v2,
                                     .inner = (void *)inner_get_proc_address_v2},
};
static atomic_bool specials_known;

void mt_lookup_look(void) {
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    for (int i = 0; i < SPECIAL_COUNT; i++) {
        void *own = library ? mt_real_dlsym(library, specials[i].name) : NULL;
        void *behind = mt_next_symbol(specials[i].name);
        if (own) atomic_store_explicit(&specials[i].own, own, memory_order_release);
        if (behind && !mt_elf_is_code(behind)) behind = NULL;
        atomic_store_explicit(&specials[i].behind, behind, memory_order_release);
    }
    dlerror();
    if (library) atomic_store_explicit(&specials_known, true, memory_order_release);
}

// What a lookup finds is kept: the runtime asks for the driver's functions under locks of its own.
static void know_specials(void) {
    if (!atomic_load_explicit(&specials_known, memory_order_acquire)) mt_lookup_look();
}

// libcuda's own function; NULL without one.
static void *special_own(enum special special) {
    know_specials();
    return atomic_load_explicit(&specials[special].own, memory_order_acquire);
}

// Marks where this thread is in a lookup function's hook, whose frame `mark` is in.
static bool within_search(void) {
    return mt_stack_within((uintptr_t)__builtin_frame_address(0), mt_thread.search_at);
}

static void search_begins(uintptr_t *mark) {
    *mark = mt_thread.search_at;
    mt_thread.search_at = (uintptr_t)mark;
}

static void search_ends(const uintptr_t *mark) {
    mt_thread.search_at = *mark;
}

// What the outer hook calls: the function that was looked up last, else that in the libraries behind ours, else
// libcuda's own. The first may be another interposer's, which may come back here; then only libcuda's own ends it.
static void *special_real(enum special special) {
    void *own = special_own(special), *real = NULL;
    if (within_search()) return own;
    real = atomic_load_explicit(&specials[special].other, memory_order_acquire);
    if (!real) real = atomic_load_explicit(&specials[special].behind, memory_order_acquire);
    return real ? real : own;
}

static int special_of(const char *name) {
    for (int i = 0; i < SPECIAL_COUNT; i++) {
        if (strcmp(specials[i].name, name) == 0) return i;
    }
    return -1;
}

static void *special_replacement(int special, void *function) {
    if (!function || function == specials[special].outer || function == specials[special].inner) return function;
    if (function == special_own((enum special)special)) return specials[special].inner;
    atomic_store_explicit(&specials[special].other, function, memory_order_release);
    return specials[special].outer;
}

static CUresult init_by(void *function, unsigned flags) {
    uintptr_t mark;
    CUresult(CUDAAPI * real)(unsigned);
    *(void **)&real = function;
    if (!real) return CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
    search_begins(&mark);
    CUresult result = real(flags);
    if (result == CUDA_SUCCESS) mt_session_start();
    search_ends(&mark);
    return result;
}

CUresult CUDAAPI hook_init(unsigned flags) {
    return init_by(special_real(SPECIAL_INIT), flags);
}

static CUresult CUDAAPI inner_init(unsigned flags) {
    return init_by(special_own(SPECIAL_INIT), flags);
}

// What cuGetProcAddress found by the unversioned `name`.
static void replace_found(const char *name, void **function, int version, cuuint64_t flags) {
    if (!name || !function || !*function) return;
    int special = special_of(name);
    if (special == SPECIAL_GET_PROC_ADDRESS && version >= 12000) special = SPECIAL_GET_PROC_ADDRESS_V2;
    if (special >= 0) {
        *function = special_replacement(special, *function);
        return;
    }
    mt_hook_prepare();
    // The driver may have one function for several names: what was asked for goes first, what was found decides.
    int row = mt_hook_row_of_version(name, version, flags);
    if (row < 0 || !mt_hook_is_own((unsigned)row, *function)) {
        int found = mt_hook_row_of_function(*function);
        if (found >= 0) row = found;
        // A toolkit newer than our list may mean a function of other parameters: a hook would call it wrongly.
        if (found < 0 && version > MT_HOOK_VERSION_KNOWN) return;
    }
    if (row >= 0) *function = mt_hook_replacement((unsigned)row, *function);
}

static CUresult get_by(void *getter, const char *name, void **function, int version, cuuint64_t flags) {
    uintptr_t mark;
    CUresult(CUDAAPI * real)(const char *, void **, int, cuuint64_t);
    *(void **)&real = getter;
    if (!real) return CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
    search_begins(&mark);
    CUresult result = real(name, function, version, flags);
    search_ends(&mark);
    if (result == CUDA_SUCCESS) replace_found(name, function, version, flags);
    return result;
}

CUresult CUDAAPI hook_get_proc_address(const char *name, void **function, int version, cuuint64_t flags) {
    return get_by(special_real(SPECIAL_GET_PROC_ADDRESS), name, function, version, flags);
}

static CUresult CUDAAPI inner_get_proc_address(const char *name, void **function, int version, cuuint64_t flags) {
    return get_by(special_own(SPECIAL_GET_PROC_ADDRESS), name, function, version, flags);
}

static CUresult get_v2_by(void *getter, const char *name, void **function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status) {
    uintptr_t mark;
    CUresult(CUDAAPI * real)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);
    *(void **)&real = getter;
    if (!real) return CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
    search_begins(&mark);
    CUresult result = real(name, function, version, flags, status);
    search_ends(&mark);
    if (result == CUDA_SUCCESS) replace_found(name, function, version, flags);
    return result;
}

CUresult CUDAAPI hook_get_proc_address_v2(const char *name, void **function, int version, cuuint64_t flags,
                                          CUdriverProcAddressQueryResult *status) {
    return get_v2_by(special_real(SPECIAL_GET_PROC_ADDRESS_V2), name, function, version, flags, status);
}

static CUresult CUDAAPI inner_get_proc_address_v2(const char *name, void **function, int version, cuuint64_t flags,
                                                  CUdriverProcAddressQueryResult *status) {
    return get_v2_by(special_own(SPECIAL_GET_PROC_ADDRESS_V2), name, function, version, flags, status);
}

// What a looked-up name is to us.
struct subject {
    enum { FOREIGN, LISTED, SPECIAL, CUPTI } kind;
    unsigned index; // LISTED: the row; SPECIAL: which
    void *exported; // our function of that name
};

static struct subject subject_of(const char *name) {
    int special = special_of(name);
    if (special >= 0) return (struct subject){SPECIAL, (unsigned)special, specials[special].outer};
    if (mt_cupti_is_hooked(name)) return (struct subject){CUPTI, 0, mt_cupti_hook(name)};
    int row = mt_hook_row(name);
    if (row >= 0) return (struct subject){LISTED, (unsigned)row, mt_hooks[row][MT_HOOK_OUTER]};
    return (struct subject){FOREIGN, 0, NULL};
}

// What the program gets instead of what the lookup found.
static void *replacement(const struct subject *subject, const char *name, void *found) {
    if (!mt_elf_is_code(found)) return found; // a variable that bears the name
    switch (subject->kind) {
    case LISTED:
        return mt_hook_replacement(subject->index, found);
    case SPECIAL:
        return special_replacement((int)subject->index, found);
    case CUPTI:
        return mt_cupti_replacement(name, found);
    default:
        return found;
    }
}

// Of glibc; other C libraries may lack it.
#pragma weak dladdr1

// The function in the library that `caller` lies in, or in those that it needs; NULL in the executable.
static void *find_beside(const void *caller, const char *name) {
    Dl_info info;
    struct link_map *map = NULL;
    if (!dladdr1 || !dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !*map->l_name) return NULL;
    void *library = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return NULL;
    void *found = mt_real_dlsym(library, name);
    dlclose(library); // its caller keeps it loaded
    return found;
}

// In the global scope our own export is the first of its name: it counts only if there is a real one behind it. A
// library that was loaded RTLD_LOCAL asks, by RTLD_DEFAULT, for what is beside it as well.
static void *behind_ours(const struct subject *subject, void *handle, const char *name, const void *caller) {
    void *next = mt_next_symbol(name);
    if (next) return mt_elf_is_code(next) ? subject->exported : next;
    void *found = handle == RTLD_DEFAULT ? find_beside(caller, name) : NULL;
    if (found && found != subject->exported) return replacement(subject, name, found);
    return mt_next_dlsym()(RTLD_NEXT, name); // once more, for dlerror() to say so
}

void *mt_lookup_exported(const char *name) {
    return subject_of(name).exported;
}

const char *mt_lookup_name(unsigned number) {
    if (number < MT_ENTRY_COUNT) return mt_entry_points[number].name;
    number -= MT_ENTRY_COUNT;
    return number < SPECIAL_COUNT ? specials[number].name : NULL;
}

struct mt_dlsym_answer mt_dlsym_hook(void *handle, const char *name, const void *caller) {
    const struct mt_dlsym_answer undecided = {NULL, 0};
    const struct subject subject = subject_of(name);
    mt_dlsym_fn *next_dlsym = mt_next_dlsym();
    // RTLD_NEXT asks for what stands behind the asker: that is not us.
    if (subject.kind == FOREIGN || handle == RTLD_NEXT || !next_dlsym) return undecided;
    // What it finds it may store in a variable of that name.
    mt_data_symbols_mend();
    if (subject.kind == LISTED) mt_hook_prepare();
    know_specials();

    void *found = next_dlsym(handle, name);
    if (found && found == subject.exported)
        found = behind_ours(&subject, handle, name, caller);
    else if (found)
        found = replacement(&subject, name, found);
    return (struct mt_dlsym_answer){found, 1};
}
