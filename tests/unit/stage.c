/*
 * Running a test program again under libmemtrace.so, see stage.h.
 */
#include "tests/unit/stage.h"

#include <cuda.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char self[PATH_MAX], build[PATH_MAX]; // this program, and the build folder it lies in
static char errors[4096];
static char errors_path[] = "/tmp/memtrace-stage-errors.XXXXXX";
char stage_trace[] = "/tmp/memtrace-stage.XXXXXX";

int stage_scene(const char *name, const struct stage_scene *scenes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(scenes[i].name, name) == 0) return scenes[i].play();
    }
    return 2;
}

int stage_open(void) {
    int trace = mkstemp(stage_trace), errors_file = mkstemp(errors_path);
    if (trace < 0 || errors_file < 0 || !realpath("/proc/self/exe", self)) return -1;
    close(trace);
    close(errors_file);
    unlink(stage_trace);
    strcpy(build, self); // …/tests/unit/<test>
    for (int i = 0; i < 3; i++) *strrchr(build, '/') = 0;
    unsetenv("CUDA_INJECTION64_PATH");
    unsetenv("NVTX_INJECTION64_PATH");
    return 0;
}

void stage_close(void) {
    char older[sizeof stage_trace + 8];
    snprintf(older, sizeof older, "%s.old", stage_trace);
    unlink(stage_trace);
    unlink(older);
    unlink(errors_path);
}

const char *stage_errors(void) {
    return errors;
}

static void read_errors(void) {
    int file = open(errors_path, O_RDONLY);
    ssize_t length = file < 0 ? -1 : read(file, errors, sizeof errors - 1);
    errors[length < 0 ? 0 : length] = 0;
    if (file >= 0) close(file);
}

static void start(const char *scene, const char *preload, const char *feed) {
    char libraries[2 * PATH_MAX + 64] = "", simulated[2 * PATH_MAX + 32];
    for (const char *name = preload; *name; name += strspn(name, " ")) {
        size_t length = strlen(libraries), name_length = strcspn(name, " ");
        snprintf(libraries + length, sizeof libraries - length, "%s%s/%.*s", length ? ":" : "", build, (int)name_length,
                 name);
        name += name_length;
    }
    snprintf(simulated, sizeof simulated, "%s/simcuda:%s/tests/unit", build, build);
    setenv("LD_PRELOAD", libraries, 1);
    setenv("LD_LIBRARY_PATH", simulated, 1);
    setenv("MEMTRACE_FEED", feed, 1);
    setenv("MEMTRACE_OUT", stage_trace, 0);
    int file = open(errors_path, O_WRONLY | O_TRUNC);
    if (file >= 0) dup2(file, STDERR_FILENO);
    execl(self, self, scene, NULL);
    _exit(127);
}

int stage_play(const char *scene, const char *preload, const char *feed) {
    int status;
    unlink(stage_trace);
    pid_t child = fork();
    if (child == 0) start(scene, preload, feed);
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    read_errors();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fputs(errors, stderr);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

typedef CUresult init_fn(unsigned flags);
typedef CUresult retain_fn(CUcontext *context, CUdevice device);
typedef CUresult set_current_fn(CUcontext context);

void *stage_open_device(void) {
    CUcontext context;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver || ((init_fn *)dlsym(driver, "cuInit"))(0) != CUDA_SUCCESS) return NULL;
    if (((retain_fn *)dlsym(driver, "cuDevicePrimaryCtxRetain"))(&context, 0) != CUDA_SUCCESS) return NULL;
    return ((set_current_fn *)dlsym(driver, "cuCtxSetCurrent"))(context) == CUDA_SUCCESS ? driver : NULL;
}
