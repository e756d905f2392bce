// Names of callback ids and results, from tables that the build makes out of the CUDA headers (rules.mk).
#include "tests/simcuda/cupti/library.h"
#include <cupti.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

static const char *const driver_names[] = {
#include "cupti_driver_names.h"
};

static const char *const runtime_names[] = {
#include "cupti_runtime_names.h"
};

static const struct {
    CUptiResult result;
    const char *name;
} results[] = {
#include "cupti_result_names.h"
};

const char *sim_cupti_callback_name(CUpti_CallbackDomain domain, uint32_t id) {
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API && id < sizeof(driver_names) / sizeof(*driver_names))
        return driver_names[id];
    if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && id < sizeof(runtime_names) / sizeof(*runtime_names))
        return runtime_names[id];
    return NULL;
}

EXPORT CUptiResult cuptiGetResultString(CUptiResult result, const char **str) {
    if (!str) return CUPTI_ERROR_INVALID_PARAMETER;
    for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++)
        if (results[i].result == result) {
            *str = results[i].name;
            return CUPTI_SUCCESS;
        }
    return CUPTI_ERROR_INVALID_PARAMETER;
}

EXPORT CUptiResult cuptiGetErrorMessage(CUptiResult result, const char **str) {
    return cuptiGetResultString(result, str);
}

EXPORT CUptiResult cuptiGetVersion(uint32_t *version) {
    if (!version) return CUPTI_ERROR_INVALID_PARAMETER;
    *version = CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
}
