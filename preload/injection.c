/*
 * The entry point that the CUDA driver calls in cuInit, after loading what CUDA_INJECTION64_PATH names. May be called
 * more than once, by any thread. Non-zero says that it was well; the driver goes on either way.
 */
#include "preload/lifetime.h"

__attribute__((visibility("default"))) int InitializeInjection(void);

int InitializeInjection(void) {
    mt_session_start();
    return 1;
}
