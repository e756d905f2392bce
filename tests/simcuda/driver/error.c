// Names and texts of results.
#include "tests/simcuda/driver/driver.h"

CUresult sim_cuGetErrorName(CUresult error, const char **pStr) {
    if (!pStr) return CUDA_ERROR_INVALID_VALUE;
    switch (error) {
#define SIM_ERROR(name, text)                                                                                          \
    case name:                                                                                                         \
        *pStr = #name;                                                                                                 \
        return CUDA_SUCCESS;
#include "tests/simcuda/driver/error_list.h"
    }
    *pStr = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGetErrorString(CUresult error, const char **pStr) {
    if (!pStr) return CUDA_ERROR_INVALID_VALUE;
    switch (error) {
#define SIM_ERROR(name, text)                                                                                          \
    case name:                                                                                                         \
        *pStr = text;                                                                                                  \
        return CUDA_SUCCESS;
#include "tests/simcuda/driver/error_list.h"
    }
    *pStr = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}
