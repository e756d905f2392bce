// Opens libsimcuda-kernels.so beside this library when the first module is loaded.
#include "tests/simcuda/driver/kernels.h"
#include "tests/simcuda/driver/driver.h"
#include "tests/simcuda/kernel_table.h"
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const struct simcuda_kernel *table;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_table(void) {
    Dl_info self;
    char path[PATH_MAX];
    if (!dladdr((const void *)sim_kernels_open, &self)) return;
    const char *slash = strrchr(self.dli_fname, '/');
    int folder = slash ? (int)(slash - self.dli_fname) : 0;
    if (snprintf(path, sizeof(path), "%.*s/libsimcuda-kernels.so", folder ? folder : 1,
                 folder ? self.dli_fname : ".") >= (int)sizeof(path))
        return;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library) table = dlsym(library, "simcuda_kernels");
}

void sim_kernels_open(void) {
    pthread_once(&once, open_table);
}

sim_kernel_run *sim_kernel_function(const char *name) {
    for (const struct simcuda_kernel *kernel = table; kernel && kernel->name; kernel++)
        if (!strcmp(kernel->name, name)) return kernel->run;
    return NULL;
}
