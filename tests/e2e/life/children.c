/*
 * Life of a process: children made in every way. The parent allocates 1 MiB before and 2 MiB after, so that its own
 * trace shows whether the child disturbed it; a child that uses the device allocates 3 MiB and has a trace of its own.
 * `children work` is the program that the exec rows start.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/e2e/coverage/driver.h"

extern char **environ;

static char self[4096];

static void allocate(uint64_t bytes) {
    CUdeviceptr address;

    CU(cuMemAlloc(&address, bytes));
    ledger_plus(bytes, "device", "cuMemAlloc_v2");
}

// A process of its own, that uses the device from the beginning.
static int work(void) {
    ledger_name("child");
    driver_open();
    allocate(3 * MIB);
    return 0;
}

static int join(pid_t child) {
    int status;

    if (child < 0 || waitpid(child, &status, 0) != child) return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static char *const work_arguments[] = {self, "work", NULL};

static void start_parent(void) {
    driver_open();
    allocate(1 * MIB);
}

static int end_parent(pid_t child) {
    int status = join(child);

    allocate(2 * MIB);
    return status;
}

static int fork_before(void) {
    pid_t child = fork();

    if (child == 0) {
        work();
        ledger_end();
        exit(0);
    }
    start_parent();
    return end_parent(child);
}

static int fork_exec_before(void) {
    pid_t child = fork();

    if (child == 0) {
        execv(self, work_arguments);
        _exit(127);
    }
    start_parent();
    return end_parent(child);
}

// The child of a process that uses CUDA cannot: each call answers an error, and nothing is recorded anywhere.
static int fork_after(void) {
    CUdeviceptr address;

    start_parent();
    pid_t child = fork();
    if (child == 0) {
        ledger_name("child");
        CUresult result = cuMemAlloc(&address, 3 * MIB);
        ledger_fact("refused", result != CUDA_SUCCESS);
        exit(0);
    }
    return end_parent(child);
}

// The usual fork of a script that only wants to run a program.
static int fork_exec_after(void) {
    start_parent();
    pid_t child = fork();
    if (child == 0) {
        execv(self, work_arguments);
        _exit(127);
    }
    return end_parent(child);
}

// A child that leaves by exit runs the parent's exit handlers, without the parent's trace being sealed by it.
static int fork_exit_after(void) {
    start_parent();
    pid_t child = fork();
    if (child == 0) exit(0);
    return end_parent(child);
}

static int fork_deep(void) {
    start_parent();
    pid_t child = fork();
    if (child == 0) {
        pid_t grandchild = fork();
        if (grandchild == 0) {
            execv(self, work_arguments);
            _exit(127);
        }
        exit(join(grandchild));
    }
    return end_parent(child);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static int vfork_after(void) {
    start_parent();
    pid_t child = vfork();
    if (child == 0) {
        execv(self, work_arguments);
        _exit(127);
    }
    return end_parent(child);
}
#pragma GCC diagnostic pop

static int spawn_after(void) {
    pid_t child;

    start_parent();
    if (posix_spawn(&child, self, NULL, NULL, work_arguments, environ) != 0) return 1;
    return end_parent(child);
}

static int system_after(void) {
    char command[sizeof self + 16];

    start_parent();
    snprintf(command, sizeof command, "'%s' work", self);
    int status = system(command);
    allocate(2 * MIB);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static const struct ledger_row rows[] = {
    {"work", work},
    {"fork-before", fork_before},
    {"fork-exec-before", fork_exec_before},
    {"fork-after", fork_after},
    {"fork-exec-after", fork_exec_after},
    {"fork-exit-after", fork_exit_after},
    {"fork-deep", fork_deep},
    {"vfork-after", vfork_after},
    {"spawn-after", spawn_after},
    {"system-after", system_after},
};

int main(int argc, char **argv) {
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 1;
    return ledger_main(argc, argv, rows, sizeof rows / sizeof rows[0]);
}
