// SIMCUDA_FAIL=NAME:N:RESULT,…: parsed at the first call; without it a call costs one load here.
#include "tests/simcuda/driver/faults.h"
#include "tests/simcuda/simcuda.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fault {
    char name[64];
    int nth; // 0: every call
    int result;
    atomic_int calls;
};

static struct fault faults[SIMCUDA_MAX_FAULTS];
static int fault_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void parse(void) {
    const char *text = getenv("SIMCUDA_FAIL");
    while (text && *text && fault_count < SIMCUDA_MAX_FAULTS) {
        struct fault *fault = &faults[fault_count];
        if (sscanf(text, "%63[^:,]:%d:%d", fault->name, &fault->nth, &fault->result) == 3) fault_count++;
        text = strchr(text, ',');
        text = text ? text + 1 : NULL;
    }
}

CUresult sim_fault(const char *entry_point) {
    pthread_once(&once, parse);
    for (int i = 0; i < fault_count; i++) {
        struct fault *fault = &faults[i];
        if (strcmp(fault->name, entry_point) != 0) continue;
        int call = atomic_fetch_add(&fault->calls, 1) + 1;
        if (fault->nth == 0 || call == fault->nth) return (CUresult)fault->result;
    }
    return CUDA_SUCCESS;
}
