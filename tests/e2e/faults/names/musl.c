/*
 * A program of another C library: built by musl-gcc, where there is one.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>

int main(void) {
    struct sigaction action;
    void *program = dlopen(NULL, RTLD_LAZY);
    printf("%d %d %d\n", dlsym(program, "puts") != NULL, dlsym(program, "none") == NULL,
           sigaction(SIGBUS, NULL, &action));
    return 0;
}
