// Libraries, kernels and variables as objects. Nothing is loaded before it is needed: a library takes device memory on
// a context when one of its kernels is launched there, or one of its variables asked for.
#include "tests/simcuda/driver/config.h"
#include "tests/simcuda/driver/device.h"
#include "tests/simcuda/driver/kernels.h"
#include "tests/simcuda/driver/linear.h"
#include "tests/simcuda/driver/memory.h"
#include "tests/simcuda/driver/module.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct sim_library *sim_library_of(const void *handle) {
    return sim_object_of(handle, SIM_KIND_LIBRARY);
}

struct sim_kernel *sim_kernel_of(const void *handle) {
    return sim_object_of(handle, SIM_KIND_KERNEL);
}

CUresult sim_library_open(const void *image, struct sim_context *context, struct sim_library **result) {
    struct sim_library *library = calloc(1, sizeof(*library));
    if (!library) return CUDA_ERROR_OUT_OF_MEMORY;
    int error = sim_cubin_read(image, &library->cubin);
    if (error == -ENOMEM) {
        free(library);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    library->readable = !error;
    sim_object_add(&library->object, SIM_KIND_LIBRARY, context);
    *result = library;
    return CUDA_SUCCESS;
}

static const struct sim_cubin_kernel *kernel_info(const struct sim_library *library, const char *name) {
    for (uint32_t i = 0; i < library->cubin.kernel_count; i++)
        if (!strcmp(library->cubin.kernels[i].name, name)) return &library->cubin.kernels[i];
    return NULL;
}

CUresult sim_library_kernel(struct sim_library *library, const char *name, struct sim_kernel **result) {
    for (struct sim_kernel *kernel = library->kernels; kernel; kernel = kernel->next)
        if (!strcmp(kernel->name, name)) {
            *result = kernel;
            return CUDA_SUCCESS;
        }
    const struct sim_cubin_kernel *info = kernel_info(library, name);
    if (!info && library->readable) return CUDA_ERROR_NOT_FOUND;
    struct sim_kernel *kernel = calloc(1, sizeof(*kernel));
    if (!kernel || !(kernel->name = strdup(name))) {
        free(kernel);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (info) kernel->info = *info;
    kernel->known = info;
    kernel->library = library;
    kernel->run = sim_kernel_function(name);
    for (int i = 0; i < 3; i++) kernel->block[i] = 1;
    kernel->next = library->kernels;
    library->kernels = kernel;
    sim_object_add(&kernel->object, SIM_KIND_KERNEL, NULL);
    *result = kernel;
    return CUDA_SUCCESS;
}

static void give_variable(struct sim_range *range) {
    if (range && range->use == SIM_MANAGED)
        sim_managed_give(range);
    else if (range)
        sim_linear_give(range);
}

static void unload(struct sim_library *library, struct sim_loaded *loaded) {
    for (uint32_t i = 0; i < library->cubin.variable_count; i++) give_variable(loaded->variables[i]);
    sim_device_give(loaded->context->device, loaded->code_bytes);
    free(loaded);
}

void sim_library_close(struct sim_library *library) {
    while (library->loaded) {
        struct sim_loaded *loaded = library->loaded;
        library->loaded = loaded->next;
        unload(library, loaded);
    }
    while (library->kernels) {
        struct sim_kernel *kernel = library->kernels;
        library->kernels = kernel->next;
        sim_object_remove(&kernel->object);
        free(kernel->name);
        free(kernel);
    }
    sim_object_remove(&library->object);
    sim_cubin_free(&library->cubin);
    free(library->file);
    free(library);
}

static CUresult take_variable(const struct sim_cubin_variable *variable, struct sim_context *context,
                              struct sim_range **result) {
    CUresult status = variable->managed ? sim_managed_take(context, variable->bytes, result)
                                        : sim_linear_take(context, variable->bytes, SIM_GLOBAL, result);
    if (status != CUDA_SUCCESS) return status;
    if (variable->initial && sim_config()->kernels)
        memcpy((void *)(*result)->start, variable->initial, variable->bytes);
    return CUDA_SUCCESS;
}

static CUresult take_variables(struct sim_library *library, struct sim_loaded *loaded) {
    for (uint32_t i = 0; i < library->cubin.variable_count; i++) {
        CUresult result = take_variable(&library->cubin.variables[i], loaded->context, &loaded->variables[i]);
        if (result != CUDA_SUCCESS) return result;
    }
    return CUDA_SUCCESS;
}

static CUresult load(struct sim_library *library, struct sim_context *context, struct sim_loaded **result) {
    struct sim_loaded *loaded = calloc(1, sizeof(*loaded) + library->cubin.variable_count * sizeof(*loaded->variables));
    if (!loaded) return CUDA_ERROR_OUT_OF_MEMORY;
    loaded->context = context;
    CUresult status = take_variables(library, loaded);
    if (status != CUDA_SUCCESS) {
        unload(library, loaded);
        return status;
    }
    loaded->next = library->loaded;
    library->loaded = loaded;
    *result = loaded;
    return CUDA_SUCCESS;
}

CUresult sim_library_load(struct sim_library *library, struct sim_context *context, bool launch,
                          struct sim_loaded **result) {
    struct sim_loaded *loaded = library->loaded;
    while (loaded && loaded->context != context) loaded = loaded->next;
    CUresult status = loaded ? CUDA_SUCCESS : load(library, context, &loaded);
    uint64_t code_bytes = sim_round_up(sim_config()->hidden_module_bytes, SIM_GRANULE);
    if (status == CUDA_SUCCESS && launch && !loaded->code_bytes && code_bytes) {
        status = sim_device_take(context->device, code_bytes);
        if (status == CUDA_SUCCESS) loaded->code_bytes = code_bytes;
    }
    if (status == CUDA_SUCCESS && result) *result = loaded;
    return status;
}

void sim_modules_end(struct sim_context *context) {
    for (struct sim_library *module; (module = sim_object_owned(SIM_KIND_LIBRARY, context));) sim_library_close(module);
    for (struct sim_library *library = NULL; (library = sim_object_next(library, SIM_KIND_LIBRARY));)
        for (struct sim_loaded **at = &library->loaded; *at;) {
            struct sim_loaded *loaded = *at;
            if (loaded->context == context) {
                *at = loaded->next;
                unload(library, loaded);
            } else {
                at = &loaded->next;
            }
        }
}
