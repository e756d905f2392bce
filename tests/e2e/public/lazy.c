/*
 * Public case (pytorch#28113, #28394): the framework says 0 bytes and the device hundreds of MiB. Nothing is allocated;
 * the context and the first launch of a kernel take what they take. "fact used" is the device's memory in use at the
 * end, by everyone.
 */
#include "tests/e2e/coverage/driver.h"

int main(void) {
    size_t free_bytes, total;
    CUmodule module;
    CUfunction function;

    driver_open();
    CU(cuModuleLoadData(&module, driver_ptx));
    CU(cuModuleGetFunction(&function, module, "nothing"));
    CU(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    CU(cuCtxSynchronize());
    CU(cuMemGetInfo(&free_bytes, &total));
    ledger_fact("used", total - free_bytes);
    ledger_end();
    return 0;
}
