/*
 * Life of a process: every way to end with 5 MiB live. The trace must hold the allocation and nothing that never
 * happened, and the process must end as it would have ended.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/e2e/coverage/driver.h"

static char self[4096];

static void start(void) {
    CUdeviceptr address;

    driver_open();
    CU(cuMemAlloc(&address, 5 * MIB));
    ledger_plus(5 * MIB, "device", "cuMemAlloc_v2");
}

static int by_return(void) {
    start();
    return 0;
}

static int by_exit(void) {
    start();
    exit(3);
}

static int by_underscore_exit(void) {
    start();
    _exit(4);
}

static int by_quick_exit(void) {
    start();
    quick_exit(5);
}

static int by_abort(void) {
    start();
    abort();
}

static int by_segfault(void) {
    static int *volatile nowhere;

    start();
    *nowhere = 1;
    return 0;
}

static int by_signal(void) {
    start();
    raise(SIGTERM);
    return 0;
}

static int by_kill(void) {
    start();
    raise(SIGKILL);
    return 0;
}

// A handler that ends the program in the middle of whatever runs.
static void leave(int signal_number) {
    (void)signal_number;
    _exit(6);
}

static int by_handler(void) {
    signal(SIGUSR1, leave);
    start();
    raise(SIGUSR1);
    return 0;
}

static void *exit_from_thread(void *unused) {
    (void)unused;
    exit(7);
}

static int by_thread(void) {
    pthread_t thread;

    start();
    if (pthread_create(&thread, NULL, exit_from_thread, NULL) != 0) return 1;
    pthread_join(thread, NULL);
    return 1;
}

// main's thread leaves, another one ends the process.
static int by_last_thread(void) {
    pthread_t thread;

    start();
    if (pthread_create(&thread, NULL, exit_from_thread, NULL) != 0) return 1;
    pthread_exit(NULL);
}

// exec over a live trace: the same process goes on as a program that uses the device (`after`), or as one that does
// not.
static int by_exec(void) {
    char *const arguments[] = {self, "return", NULL};

    start();
    execv(self, arguments);
    return 1;
}

static int by_exec_other(void) {
    start();
    execl("/bin/true", "true", (char *)NULL);
    return 1;
}

static const struct ledger_row rows[] = {
    {"return", by_return},
    {"exit", by_exit},
    {"_exit", by_underscore_exit},
    {"quick_exit", by_quick_exit},
    {"abort", by_abort},
    {"segfault", by_segfault},
    {"signal", by_signal},
    {"kill", by_kill},
    {"handler", by_handler},
    {"thread", by_thread},
    {"last-thread", by_last_thread},
    {"exec", by_exec},
    {"exec-other", by_exec_other},
};

int main(int argc, char **argv) {
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 1;
    return ledger_main(argc, argv, rows, sizeof rows / sizeof rows[0]);
}
