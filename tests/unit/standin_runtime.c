/*
 * Stands in for a CUDA runtime or driver in test_sites.c, which copies it to files of their names: what counts is that
 * an address lies in a module of that name, in a function of that name. Never called.
 */
int cudaMalloc(void **pointer, unsigned long bytes);

int cudaMalloc(void **pointer, unsigned long bytes) {
    return pointer && bytes ? 0 : 1;
}
