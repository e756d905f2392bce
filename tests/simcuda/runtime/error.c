// Names and texts of errors.
#include "tests/simcuda/runtime/runtime.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT const char *CUDARTAPI cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define SIM_RUNTIME_ERROR(name, text)                                                                                  \
    case name:                                                                                                         \
        return #name;
#include "tests/simcuda/runtime/error_list.h"
    default:
        return "unrecognized error code";
    }
}

EXPORT const char *CUDARTAPI cudaGetErrorString(cudaError_t error) {
    switch (error) {
#define SIM_RUNTIME_ERROR(name, text)                                                                                  \
    case name:                                                                                                         \
        return text;
#include "tests/simcuda/runtime/error_list.h"
    default:
        return "unrecognized error code";
    }
}
