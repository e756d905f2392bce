/*
 * The filters of refuse.h.
 */
#include "tests/unit/refuse.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define FIELD(name) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))

// The call fails with `error` when the low half of its argument has exactly the bits `value` under `mask`.
static bool refuse(int call, int argument, uint32_t mask, uint32_t value, int error) {
    struct sock_filter code[] = {
        FIELD(nr),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)argument)),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool refuse_shared_mappings(void) {
    return refuse(SYS_mmap, 3, MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED, ENODEV);
}

bool refuse_fallocate(void) {
    return refuse(SYS_fallocate, 1, 0, 0, EOPNOTSUPP);
}

bool refuse_locks(void) {
    return refuse(SYS_flock, 0, 0, 0, ENOLCK);
}

bool refuse_wiping(void) {
    return refuse(SYS_madvise, 2, 0xffffffff, MADV_WIPEONFORK, EINVAL);
}
