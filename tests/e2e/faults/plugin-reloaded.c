// Loads two versions of a plugin in turn, and says where each lies.   plugin-reloaded FIRST SECOND
#include <cuda.h>
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>

static int use(const char *path, size_t bytes) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    struct link_map *map;
    if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return 1;
    void (*run)(size_t) = (void (*)(size_t))(uintptr_t)dlsym(library, "run");
    printf("%lx\n", (unsigned long)map->l_addr);
    for (volatile int i = 0; i < 3; i++) run(bytes);
    return dlclose(library);
}

int main(int count, char **paths) {
    CUdevice device;
    CUcontext context;
    if (count != 3) return 1;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    for (volatile int i = 0; i < 3; i++) {
        if (use(paths[1], 1000) != 0 || use(paths[2], 2000) != 0) return 1;
    }
    return 0;
}
