// cuGetProcAddress: from an unsuffixed name, a CUDA version and the kind of default stream to an entry point. The table
// has a row for each exported form; of the forms with the name asked for, the newest that the version allows wins.
#include "tests/simcuda/bridge.h"
#include "tests/simcuda/driver/config.h"
#include "tests/simcuda/driver/driver.h"
#include <string.h>

typedef void entry(void);

struct form {
    const char *symbol; // may end in _v2…
    int version;
    entry *legacy;
    entry *per_thread; // NULL: the same
};

#define SIM_API_STREAM(need, version, name, params, args, stream) CUresult CUDAAPI name##_ptsz params;
#define SIM_API_PTSZ(need, version, name, params, args)           CUresult CUDAAPI name##_ptsz params;
#define SIM_API_PTDS(need, version, name, params, args)           CUresult CUDAAPI name##_ptds params;
#define SIM_API(need, version, name, params, args)
#include "tests/simcuda/driver/api.h"

static const struct form forms[] = {
#define SIM_API(need, version, name, params, args)                {#name, version, (entry *)name, NULL},
#define SIM_API_STREAM(need, version, name, params, args, stream) {#name, version, (entry *)name, (entry *)name##_ptsz},
#define SIM_API_PTSZ(need, version, name, params, args)           {#name, version, (entry *)name, (entry *)name##_ptsz},
#define SIM_API_PTDS(need, version, name, params, args)           {#name, version, (entry *)name, (entry *)name##_ptds},
#include "tests/simcuda/driver/api.h"
};

static bool is_version_suffix(const char *text) {
    return text[0] == '_' && text[1] == 'v' && text[2] && !text[3];
}

// True if the symbol is the name, or the name and a version. A name that brings its own version isn't looked for.
static bool is_form_of(const char *symbol, const char *name, size_t length) {
    if (strncmp(symbol, name, length) != 0 || (length > 3 && is_version_suffix(name + length - 3))) return false;
    return !symbol[length] || is_version_suffix(symbol + length);
}

CUresult sim_cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                 CUdriverProcAddressQueryResult *symbolStatus) {
    const cuuint64_t known = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    if (!symbol || !pfn || flags & ~known || flags == known || cudaVersion > sim_config()->driver_version)
        return CUDA_ERROR_INVALID_VALUE;
    size_t length = strlen(symbol);
    const struct form *best = NULL;
    bool exists = false;
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        const struct form *form = &forms[i];
        if (!is_form_of(form->symbol, symbol, length)) continue;
        exists = true;
        if (form->version <= cudaVersion && (!best || form->version >= best->version)) best = form;
    }
    bool per_thread = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    *pfn = best ? (void *)(per_thread && best->per_thread ? best->per_thread : best->legacy) : NULL;
    if (symbolStatus)
        *symbolStatus = best     ? CU_GET_PROC_ADDRESS_SUCCESS
                        : exists ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                 : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return CUDA_SUCCESS;
}

// The first form of it, without a status: what isn't found is an error.
CUresult sim_cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags) {
    CUresult result = sim_cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, NULL);
    return result == CUDA_SUCCESS && !*pfn ? CUDA_ERROR_NOT_FOUND : result;
}

// The undocumented tables of the real driver aren't here.
CUresult sim_cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId) {
    if (!ppExportTable || !pExportTableId) return CUDA_ERROR_INVALID_VALUE;
    *ppExportTable = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuDriverGetVersion(int *driverVersion) {
    if (!driverVersion) return CUDA_ERROR_INVALID_VALUE;
    *driverVersion = sim_config()->driver_version;
    return CUDA_SUCCESS;
}

CUresult sim_cuProfilerStart(void) {
    return CUDA_SUCCESS;
}

CUresult sim_cuProfilerStop(void) {
    return CUDA_SUCCESS;
}
