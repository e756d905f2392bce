/*
 * A preloaded library that interposes what others do (libfaketime, fakeroot, I/O profilers), and takes its state apart
 * in its destructor: who calls it afterwards dies. Its clock is a year fast.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static bool dead;

__attribute__((destructor)) static void die(void) {
    dead = true;
}

#define INTERPOSE(type, name, parameters, ...)                                                                         \
    type name parameters;                                                                                              \
    type name parameters {                                                                                             \
        if (dead) abort();                                                                                             \
        return (type)syscall(__VA_ARGS__);                                                                             \
    }

INTERPOSE(int, fstat, (int fd, struct stat *about), SYS_fstat, fd, about)
INTERPOSE(int, close, (int fd), SYS_close, fd)
INTERPOSE(int, flock, (int fd, int operation), SYS_flock, fd, operation)
INTERPOSE(int, ftruncate, (int fd, off_t bytes), SYS_ftruncate, fd, bytes)
INTERPOSE(int, munmap, (void *pages, size_t bytes), SYS_munmap, pages, bytes)
INTERPOSE(ssize_t, pwrite, (int fd, const void *data, size_t bytes, off_t offset), SYS_pwrite64, fd, data, bytes,
          offset)
INTERPOSE(void *, mmap, (void *wanted, size_t bytes, int protection, int flags, int fd, off_t offset), SYS_mmap, wanted,
          bytes, protection, flags, fd, offset)
INTERPOSE(int, fallocate, (int fd, int mode, off_t offset, off_t bytes), SYS_fallocate, fd, mode, offset, bytes)
INTERPOSE(pid_t, getpid, (void), SYS_getpid)
INTERPOSE(int, madvise, (void *pages, size_t bytes, int advice), SYS_madvise, pages, bytes, advice)

int fcntl(int fd, int command, ...) {
    va_list list;
    va_start(list, command);
    long argument = va_arg(list, long);
    va_end(list);
    if (dead) abort();
    return (int)syscall(SYS_fcntl, fd, command, argument);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    if (dead) abort();
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    now->tv_sec += 365l * 24 * 3600;
    return result;
}
