/*
 * A program that uses the device first and loads a Python library later, as a host of plug-ins does.
 *   python-late LIBRARY
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>

static void allocate(void) {
    CUdeviceptr address;
    if (cuMemAlloc(&address, 1000) != CUDA_SUCCESS) puts("no memory");
}

int main(int argc, char **argv) {
    CUdevice device;
    CUcontext context;
    void (*initialize)(int);
    int (*run)(const char *);
    char script[256];

    if (argc != 2 || cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
        cuCtxSetCurrent(context))
        return 2;
    allocate();
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    *(void **)&initialize = dlsym(library, "Py_InitializeEx");
    *(void **)&run = dlsym(library, "PyRun_SimpleString");
    initialize(0);
    snprintf(script, sizeof script,
             "import ctypes\n"
             "allocate = ctypes.CFUNCTYPE(None)(%lu)\n"
             "def step():\n"
             "    allocate()\n"
             "step()\n",
             (unsigned long)(void *)allocate);
    return run(script) == 0 ? 0 : 1;
}
