/*
 * A program that reaches the driver past whatever is preloaded: through a plug-in that binds to its own dependencies
 * first (deepbound.c), or by addresses that it reads from the driver's ELF tables (by-hand). The argument says which
 * calls do: init (all, cuInit too), context (cuDevicePrimaryCtxRetain), freed (allocations that the program frees),
 * kept (allocations that the program never sees), both (allocations and frees), closed (likewise, and the plug-in is
 * unloaded) or none. Five blocks of 3000 bytes, and one of 1000 that the program makes and frees itself.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

static struct {
    CUresult (*init)(void);
    CUresult (*context)(CUcontext *context);
    CUresult (*alloc)(CUdeviceptr *address, size_t bytes);
    CUresult (*free)(CUdeviceptr address);
} deep;

// dlsym is not asked: another library may answer in its place.
static void *read_by_hand(const char *library, const char *name) {
    struct link_map *map = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    const ElfW(Sym) *symbols = NULL;
    const char *strings = NULL;
    if (!map) return NULL;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SYMTAB) symbols = (const ElfW(Sym) *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_STRTAB) strings = (const char *)entry->d_un.d_ptr;
    }
    // The string table lies behind the symbol table.
    for (const ElfW(Sym) *symbol = symbols; (const char *)symbol < strings; symbol++) {
        if (symbol->st_shndx == SHN_UNDEF || strcmp(strings + symbol->st_name, name) != 0) continue;
        return (void *)(map->l_addr + symbol->st_value);
    }
    return NULL;
}

static int find(void **library) {
    *library = dlopen("deepbound.so", RTLD_LAZY | RTLD_DEEPBIND);
    if (!*library) return 1;
    *(void **)&deep.init = dlsym(*library, "deepbound_init");
    *(void **)&deep.context = dlsym(*library, "deepbound_context");
    *(void **)&deep.alloc = dlsym(*library, "deepbound_alloc");
    *(void **)&deep.free = dlsym(*library, "deepbound_free");
    return !deep.init || !deep.context || !deep.alloc || !deep.free;
}

int main(int argc, char **argv) {
    CUdevice device;
    CUcontext context;
    CUdeviceptr address;
    const char *way = argc > 1 ? argv[1] : "";
    void *library = NULL;
    bool none = strcmp(way, "none") == 0, hand = strcmp(way, "by-hand") == 0, all = strcmp(way, "init") == 0;
    if (!none && !hand && find(&library) != 0) return 2;
    if (hand) *(void **)&deep.alloc = read_by_hand("libcuda.so.1", "cuMemAlloc_v2");
    if (hand && !deep.alloc) return 2;
    bool made = all || strcmp(way, "context") == 0;
    bool freed = all || strcmp(way, "both") == 0 || strcmp(way, "closed") == 0;
    bool allocated = freed || hand || strcmp(way, "freed") == 0 || strcmp(way, "kept") == 0;
    if ((all ? deep.init() : cuInit(0)) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS) return 1;
    if ((made ? deep.context(&context) : cuDevicePrimaryCtxRetain(&context, device)) != CUDA_SUCCESS) return 1;
    if (cuCtxSetCurrent(context) != CUDA_SUCCESS) return 1;
    if (cuMemAlloc(&address, 1000) != CUDA_SUCCESS || cuMemFree(address) != CUDA_SUCCESS) return 1;
    for (int i = 0; i < 5; i++) {
        if ((allocated ? deep.alloc(&address, 3000 + (size_t)i * 4096) : cuMemAlloc(&address, 3000)) != CUDA_SUCCESS)
            return 1;
        if (strcmp(way, "kept") == 0) continue;
        if ((freed ? deep.free(address) : cuMemFree(address)) != CUDA_SUCCESS) return 1;
    }
    return strcmp(way, "closed") == 0 ? dlclose(library) : 0;
}
