/*
 * What this library asks of the kernel it asks itself. These functions have the C library's names but are hidden, so
 * the linker binds all our calls to them. Preloaded libraries that interpose such functions (libfaketime, fakeroot, I/O
 * profilers) then neither see our calls nor change their answers, and we may still call after their destructors have
 * run: the session ends later than they do.
 *
 * Semantics are those of the manual, errno included. The clock is the kernel's vDSO.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "preload/elf_object.h"

#ifdef __x86_64__
#define CLOCK_IN_VDSO "__vdso_clock_gettime"

static inline long ask(long number, long a, long b, long c, long d, long e, long f) {
    register long fourth __asm__("r10") = d, fifth __asm__("r8") = e, sixth __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined __aarch64__
#define CLOCK_IN_VDSO "__kernel_clock_gettime"

static inline long ask(long number, long a, long b, long c, long d, long e, long f) {
    register long call __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
                       x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(call), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}
#else
#error "system_calls.c knows x86-64 and aarch64"
#endif

// As the C library gives it: -1 and errno.
static inline long answer(long result) {
    if (result >= 0 || result < -4095) return result;
    errno = (int)-result;
    return -1;
}

#define ASK_6(name, a, b, c, d, e, f)                                                                                  \
    answer(ask(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f)))
#define ASK_4(name, a, b, c, d) ASK_6(name, a, b, c, d, 0, 0)
#define ASK_3(name, a, b, c)    ASK_6(name, a, b, c, 0, 0, 0)
#define ASK_2(name, a, b)       ASK_6(name, a, b, 0, 0, 0, 0)
#define ASK_1(name, a)          ASK_6(name, a, 0, 0, 0, 0, 0)

long syscall(long number, ...) {
    va_list list;
    long a[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
    va_end(list);
    return answer(ask(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    return (int)ASK_4(openat, AT_FDCWD, path, flags, mode);
}

int fcntl(int fd, int command, ...) {
    va_list list;
    va_start(list, command);
    long argument = va_arg(list, long);
    va_end(list);
    return (int)ASK_3(fcntl, fd, command, argument);
}

int close(int fd) {
    return (int)ASK_1(close, fd);
}

ssize_t read(int fd, void *data, size_t bytes) {
    return ASK_3(read, fd, data, bytes);
}

ssize_t write(int fd, const void *data, size_t bytes) {
    return ASK_3(write, fd, data, bytes);
}

ssize_t pread(int fd, void *data, size_t bytes, off_t offset) {
    return ASK_4(pread64, fd, data, bytes, offset);
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset) {
    return ASK_4(pwrite64, fd, data, bytes, offset);
}

int ftruncate(int fd, off_t bytes) {
    return (int)ASK_2(ftruncate, fd, bytes);
}

int fallocate(int fd, int mode, off_t offset, off_t bytes) {
    return (int)ASK_4(fallocate, fd, mode, offset, bytes);
}

int flock(int fd, int operation) {
    return (int)ASK_2(flock, fd, operation);
}

int fstatfs(int fd, struct statfs *about) {
    return (int)ASK_2(fstatfs, fd, about);
}

// The kernel's struct stat is the C library's on both machines. Until glibc 2.33 its headers turned fstat into
// __fxstat.
static int about_descriptor(int fd, struct stat *about) {
    return (int)ASK_2(fstat, fd, about);
}

static int about_path(const char *path, struct stat *about, int flags) {
    return (int)ASK_4(newfstatat, AT_FDCWD, path, about, flags);
}

#if __GLIBC_PREREQ(2, 33)
int fstat(int fd, struct stat *about) {
    return about_descriptor(fd, about);
}

int stat(const char *path, struct stat *about) {
    return about_path(path, about, 0);
}

int lstat(const char *path, struct stat *about) {
    return about_path(path, about, AT_SYMLINK_NOFOLLOW);
}
#else
int __fxstat(int version, int fd, struct stat *about) {
    (void)version;
    return about_descriptor(fd, about);
}

int __xstat(int version, const char *path, struct stat *about) {
    (void)version;
    return about_path(path, about, 0);
}

int __lxstat(int version, const char *path, struct stat *about) {
    (void)version;
    return about_path(path, about, AT_SYMLINK_NOFOLLOW);
}
#endif

ssize_t readlink(const char *path, char *target, size_t bytes) {
    return ASK_4(readlinkat, AT_FDCWD, path, target, bytes);
}

int rename(const char *from, const char *to) {
    return (int)ASK_6(renameat2, AT_FDCWD, from, AT_FDCWD, to, 0, 0);
}

int unlink(const char *path) {
    return (int)ASK_3(unlinkat, AT_FDCWD, path, 0);
}

void *mmap(void *wanted, size_t bytes, int protection, int flags, int fd, off_t offset) {
    return (void *)ASK_6(mmap, wanted, bytes, protection, flags, fd, offset);
}

int munmap(void *pages, size_t bytes) {
    return (int)ASK_2(munmap, pages, bytes);
}

void *mremap(void *pages, size_t bytes, size_t new_bytes, int flags, ...) {
    return (void *)ASK_4(mremap, pages, bytes, new_bytes, flags);
}

int mprotect(void *pages, size_t bytes, int protection) {
    return (int)ASK_3(mprotect, pages, bytes, protection);
}

int madvise(void *pages, size_t bytes, int advice) {
    return (int)ASK_3(madvise, pages, bytes, advice);
}

pid_t getpid(void) {
    return (pid_t)ASK_1(getpid, 0);
}

pid_t getppid(void) {
    return (pid_t)ASK_1(getppid, 0);
}

pid_t gettid(void) {
    return (pid_t)ASK_1(gettid, 0);
}

uid_t geteuid(void) {
    return (uid_t)ASK_1(geteuid, 0);
}

int getrlimit(__rlimit_resource_t resource, struct rlimit *limit) {
    return (int)ASK_4(prlimit64, 0, resource, NULL, limit);
}

int sched_yield(void) {
    return (int)ASK_1(sched_yield, 0);
}

// The kernel's set of signals, without the two that the C library keeps for itself (32 and 33): they stay open.
enum { KERNEL_SET_BYTES = 8 };
#define INTERNAL_SIGNALS ((uint64_t)3 << 31)

int sigprocmask(int how, const sigset_t *set, sigset_t *before) {
    uint64_t wanted = 0;
    if (set) memcpy(&wanted, set, sizeof wanted);
    if (set && how != SIG_UNBLOCK) wanted &= ~INTERNAL_SIGNALS;
    if (before) sigemptyset(before);
    return (int)ASK_4(rt_sigprocmask, how, set ? &wanted : NULL, before, KERNEL_SET_BYTES);
}

int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit) {
    return (int)ASK_4(rt_sigtimedwait, set, info, limit, KERNEL_SET_BYTES);
}

int sigaltstack(const stack_t *stack, stack_t *before) {
    return (int)ASK_2(sigaltstack, stack, before);
}

typedef int clock_fn(clockid_t clock, struct timespec *now);

// NULL where the kernel offers none.
static clock_fn *find_clock(void) {
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)getauxval(AT_SYSINFO_EHDR);
    struct mt_elf_object object;
    if (!header) return NULL;
    struct dl_phdr_info info = {
        .dlpi_addr = (uintptr_t)header,
        .dlpi_phdr = (const ElfW(Phdr) *)((uintptr_t)header + header->e_phoff),
        .dlpi_phnum = header->e_phnum,
    };
    const ElfW(Sym) *symbol = mt_elf_read(&info, &object) ? mt_elf_find(&object, CLOCK_IN_VDSO) : NULL;
    return symbol ? (clock_fn *)(object.base + symbol->st_value) : NULL;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static _Atomic(clock_fn *) found;
    static atomic_bool sought;
    clock_fn *vdso = atomic_load_explicit(&found, memory_order_relaxed);
    if (__builtin_expect(!vdso, 0) && !atomic_exchange_explicit(&sought, true, memory_order_relaxed)) {
        vdso = find_clock();
        atomic_store_explicit(&found, vdso, memory_order_relaxed);
    }
    if (__builtin_expect(vdso && vdso(clock, now) == 0, 1)) return 0;
    return (int)ASK_2(clock_gettime, clock, now);
}
