// Sharing the devices' memory with other processes, see shared.h. Each process writes its own entry of the shared file
// and reads the others'; two that take the last bytes at once may both get them.
#include "tests/simcuda/driver/shared.h"
#include "tests/simcuda/shared.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct simcuda_shared *shared; // NULL: the devices are this process's alone
static struct simcuda_user *self;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int is_gone(int pid) {
    return !pid || (kill(pid, 0) != 0 && errno == ESRCH);
}

static struct simcuda_user *free_entry(void) {
    for (int i = 0; i < SIMCUDA_MAX_USERS; i++) {
        struct simcuda_user *user = &shared->users[i];
        int pid = atomic_load(&user->pid);
        if (!is_gone(pid) || !atomic_compare_exchange_strong(&user->pid, &pid, getpid())) continue;
        for (int device = 0; device < SIMCUDA_MAX_DEVICES; device++) atomic_store(&user->bytes[device], 0);
        return user;
    }
    return NULL;
}

static void join(void) {
    const char *path = getenv("SIMCUDA_SHARED");
    int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file < 0) return;
    if (ftruncate(file, sizeof *shared) == 0) {
        void *map = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (map != MAP_FAILED) shared = map;
    }
    close(file);
    if (shared) self = free_entry();
}

uint64_t sim_shared_others(int index) {
    pthread_once(&once, join);
    uint64_t bytes = 0;
    for (int i = 0; shared && i < SIMCUDA_MAX_USERS; i++) {
        struct simcuda_user *user = &shared->users[i];
        if (user != self && !is_gone(atomic_load(&user->pid))) bytes += atomic_load(&user->bytes[index]);
    }
    return bytes;
}

void sim_shared_set(int index, uint64_t bytes) {
    pthread_once(&once, join);
    if (self) atomic_store(&self->bytes[index], bytes);
}
