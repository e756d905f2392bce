/*
 * Life of a process: a program that changes the ground under the tracer's feet, between cuInit and an allocation of
 * 1 MiB or before both: descriptors closed, folder left, user changed, root changed.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/e2e/coverage/driver.h"

// The device may have been hurt by what the program did (a real driver wants its user and its files): either way is
// fine.
static void try_allocate(uint64_t bytes) {
    CUdeviceptr address;
    CUresult result = cuMemAlloc(&address, bytes);

    if (result == CUDA_SUCCESS)
        ledger_plus(bytes, "device", "cuMemAlloc_v2");
    else
        ledger_failed(bytes, "device", "cuMemAlloc_v2", (int)result);
}

// A real driver wakes its threads through eventfds, and goes on writing to whatever file has their numbers by now: its
// devices, eventfds, pipes and sockets stay open. What a tracer writes its trace to is a file.
static bool is_real_drivers(int fd) {
    struct stat about;

    return access("/dev/nvidiactl", F_OK) == 0 && fstat(fd, &about) == 0 && !S_ISREG(about.st_mode);
}

// From stacks that go deep and have not been seen before.
__attribute__((noinline)) static void pair_at(int depth) {
    volatile char room[256];

    room[0] = (char)depth;
    if (depth > 0) {
        pair_at(depth - 1);
    } else {
        CUdeviceptr address;
        CU(cuMemAlloc(&address, 4096));
        CU(cuMemFree(address));
    }
    room[0]++;
}

// The program's own file takes the number of a descriptor that it closed under us, and must hold what it wrote.
static int close_descriptors(void) {
    char text[64] = "";
    int own = -1;

    driver_open();
    try_allocate(1 * MIB);
    for (int fd = 3; fd < 65536; fd++) {
        if (!is_real_drivers(fd)) close(fd);
    }
    for (int i = 0; i < 64; i++) {
        int fd = open("own.txt", O_RDWR | O_CREAT, 0644);
        if (fd < 0) return 1;
        if (own < 0) own = fd;
    }
    if (write(own, "the program's own\n", 18) != 18) return 1;
    for (int i = 0; i < 10000; i++) pair_at(i % 100);
    ssize_t length = pread(own, text, sizeof text, 0);
    ledger_fact("intact", length == 18 && strcmp(text, "the program's own\n") == 0);
    return 0;
}

// A relative path of the trace means the folder in which the program started.
static int change_folder(void) {
    if (mkdir("elsewhere", 0755) != 0 || chdir("elsewhere") != 0) return 1;
    driver_open();
    try_allocate(1 * MIB);
    return 0;
}

static int change_user(void) {
    if (geteuid() != 0) return ledger_skip("only root changes its user");
    driver_open();
    if (setgid(65534) != 0 || setuid(65534) != 0) return ledger_skip("the user may not be changed here");
    try_allocate(1 * MIB);
    return 0;
}

// Root changed before the driver is initialised: the folder of the trace is out of sight. On a machine's own device the
// driver's files are, too, so nothing is said of cuInit's result.
static int change_root_before(void) {
    CUresult result;

    if (geteuid() != 0) return ledger_skip("only root changes its root");
    if (mkdir("cell", 0755) != 0 || chroot("cell") != 0 || chdir("/") != 0) return ledger_skip("no chroot here");
    result = cuInit(0);
    ledger_fact("initialised", result == CUDA_SUCCESS);
    return 0;
}

static int change_root(void) {
    if (geteuid() != 0) return ledger_skip("only root changes its root");
    driver_open();
    if (mkdir("cell", 0755) != 0 || chroot("cell") != 0 || chdir("/") != 0) return ledger_skip("no chroot here");
    try_allocate(1 * MIB);
    return 0;
}

static const struct ledger_row rows[] = {
    {"close-descriptors", close_descriptors},   {"change-folder", change_folder}, {"change-user", change_user},
    {"change-root-before", change_root_before}, {"change-root", change_root},
};
LEDGER_MAIN(rows)
