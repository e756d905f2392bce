/*
 * Poorer kernels and file systems: a seccomp filter refuses a system call, in this process and all it starts, for good.
 * So tests use it in a child.
 */
#ifndef MEMTRACE_TESTS_REFUSE_H
#define MEMTRACE_TESTS_REFUSE_H

#include <stdbool.h>

// Each makes one kind of call fail from now on. False where the system has no filters.
bool refuse_shared_mappings(void); // mmap of a file, MAP_SHARED: ENODEV, as on file systems without
bool refuse_fallocate(void);       // EOPNOTSUPP, as on ext3, NFS before 4.2 …
bool refuse_locks(void);           // flock: ENOLCK
bool refuse_wiping(void);          // MADV_WIPEONFORK: EINVAL, as before Linux 4.14

#endif
