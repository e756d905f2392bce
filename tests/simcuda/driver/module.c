// The entry points of modules and libraries.
#include "tests/simcuda/driver/module.h"
#include "tests/simcuda/driver/context.h"
#include "tests/simcuda/driver/kernels.h"
#include "tests/simcuda/driver/space.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CUresult open_image(struct sim_library **library, const void *image, struct sim_context *context) {
    if (!library || !image) return CUDA_ERROR_INVALID_VALUE;
    sim_kernels_open();
    sim_lock();
    CUresult result = sim_library_open(image, context, library);
    sim_unlock();
    return result;
}

// The whole of a file, or NULL.
static void *read_file(const char *path) {
    FILE *file = fopen(path, "rbe");
    if (!file) return NULL;
    char *text = NULL;
    if (!fseek(file, 0, SEEK_END)) {
        long bytes = ftell(file);
        rewind(file);
        text = bytes > 0 ? calloc(1, (size_t)bytes + 1) : NULL;
        if (text && fread(text, 1, (size_t)bytes, file) != (size_t)bytes) {
            free(text);
            text = NULL;
        }
    }
    fclose(file);
    return text;
}

static CUresult open_file(struct sim_library **library, const char *path, struct sim_context *context) {
    if (!library || !path) return CUDA_ERROR_INVALID_VALUE;
    void *file = read_file(path);
    if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
    CUresult result = open_image(library, file, context);
    if (result == CUDA_SUCCESS)
        (*library)->file = file;
    else
        free(file);
    return result;
}

CUresult sim_cuModuleLoad(CUmodule *module, const char *fname) {
    return open_file((struct sim_library **)module, fname, sim_context_current());
}

CUresult sim_cuModuleLoadData(CUmodule *module, const void *image) {
    return open_image((struct sim_library **)module, image, sim_context_current());
}

CUresult sim_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions, CUjit_option *options,
                                void **optionValues) {
    (void)numOptions;
    (void)options;
    (void)optionValues;
    return sim_cuModuleLoadData(module, image);
}

CUresult sim_cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin) {
    return sim_cuModuleLoadData(module, fatCubin);
}

CUresult sim_cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions, void **jitOptionsValues,
                               unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues,
                               unsigned int numLibraryOptions) {
    (void)jitOptions;
    (void)jitOptionsValues;
    (void)numJitOptions;
    (void)libraryOptions;
    (void)libraryOptionValues;
    (void)numLibraryOptions;
    return open_image((struct sim_library **)library, code, NULL);
}

CUresult sim_cuLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions,
                                   void **jitOptionsValues, unsigned int numJitOptions, CUlibraryOption *libraryOptions,
                                   void **libraryOptionValues, unsigned int numLibraryOptions) {
    (void)jitOptions;
    (void)jitOptionsValues;
    (void)numJitOptions;
    (void)libraryOptions;
    (void)libraryOptionValues;
    (void)numLibraryOptions;
    return open_file((struct sim_library **)library, fileName, NULL);
}

// Modules belong to a context, libraries to none.
static CUresult close_handle(const void *handle, bool is_module) {
    sim_lock();
    struct sim_library *library = sim_library_of(handle);
    bool found = library && is_module == (library->object.context != NULL);
    if (found) sim_library_close(library);
    sim_unlock();
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuModuleUnload(CUmodule hmod) {
    return close_handle(hmod, true);
}

CUresult sim_cuLibraryUnload(CUlibrary library) {
    return close_handle(library, false);
}

CUresult sim_cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
    if (!mode) return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}

static CUresult get_kernel(struct sim_kernel **kernel, const void *handle, const char *name) {
    if (!kernel || !name) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_library *library = sim_library_of(handle);
    CUresult result = library ? sim_library_kernel(library, name, kernel) : CUDA_ERROR_INVALID_HANDLE;
    sim_unlock();
    return result;
}

CUresult sim_cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name) {
    return get_kernel((struct sim_kernel **)hfunc, hmod, name);
}

CUresult sim_cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name) {
    return get_kernel((struct sim_kernel **)pKernel, library, name);
}

static CUresult count_kernels(unsigned *count, const void *handle) {
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    const struct sim_library *library = sim_library_of(handle);
    if (library) *count = library->cubin.kernel_count;
    sim_unlock();
    return library ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuModuleGetFunctionCount(unsigned int *count, CUmodule mod) {
    return count_kernels(count, mod);
}

CUresult sim_cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib) {
    return count_kernels(count, lib);
}

CUresult sim_cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib) {
    if (!kernels || !numKernels) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_library *library = sim_library_of(lib);
    CUresult result = library ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    for (unsigned i = 0; result == CUDA_SUCCESS && i < numKernels && i < library->cubin.kernel_count; i++)
        result = sim_library_kernel(library, library->cubin.kernels[i].name, (struct sim_kernel **)&kernels[i]);
    sim_unlock();
    return result;
}

CUresult sim_cuLibraryGetModule(CUmodule *pMod, CUlibrary library) {
    if (!pMod) return CUDA_ERROR_INVALID_VALUE;
    sim_lock();
    struct sim_library *found = sim_library_of(library);
    CUresult result = found ? sim_library_load(found, sim_context_current(), false, NULL) : CUDA_ERROR_INVALID_HANDLE;
    sim_unlock();
    if (result == CUDA_SUCCESS) *pMod = (CUmodule)found;
    return result;
}

static CUresult get_variable(CUdeviceptr *dptr, size_t *bytes, const void *handle, const char *name, bool managed) {
    if (!name || (!dptr && !bytes)) return CUDA_ERROR_INVALID_VALUE;
    struct sim_context *context = sim_context_current();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    struct sim_loaded *loaded = NULL;
    sim_lock();
    struct sim_library *library = sim_library_of(handle);
    CUresult result = library ? sim_library_load(library, context, false, &loaded) : CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS) {
        uint32_t i = 0;
        const struct sim_cubin *cubin = &library->cubin;
        while (i < cubin->variable_count &&
               (cubin->variables[i].managed != managed || strcmp(cubin->variables[i].name, name) != 0))
            i++;
        if (i == cubin->variable_count) result = CUDA_ERROR_NOT_FOUND;
        if (result == CUDA_SUCCESS && dptr) *dptr = loaded->variables[i]->start;
        if (result == CUDA_SUCCESS && bytes) *bytes = cubin->variables[i].bytes;
    }
    sim_unlock();
    return result;
}

CUresult sim_cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name) {
    return get_variable(dptr, bytes, hmod, name, false);
}

CUresult sim_cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name) {
    return get_variable(dptr, bytes, library, name, false);
}

CUresult sim_cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name) {
    return get_variable(dptr, bytes, library, name, true);
}
