/*
 * A stage for tests that need libmemtrace.so where it belongs, preloaded into a program on the simulated device: the
 * test program runs itself again in that way, with the name of a scene as its argument. A scene is a function in the
 * same file; 0 is success, and that is the child's exit code.
 */
#ifndef MEMTRACE_TESTS_UNIT_STAGE_H
#define MEMTRACE_TESTS_UNIT_STAGE_H

#include <stddef.h>
#include <stdio.h>

#define STAGE_OURS "libmemtrace.so"

// Inside a scene: leaves it, with the line that failed on stderr.
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

struct stage_scene {
    const char *name;
    int (*play)(void);
};

// In the test's main, in this order: plays the scene that the arguments name; or opens the stage, and closes it.
int stage_scene(const char *name, const struct stage_scene *scenes, size_t count);
int stage_open(void);
void stage_close(void);

// Where the scene's trace is written; removed when the stage closes.
extern char stage_trace[];

// What the last scene printed on stderr.
const char *stage_errors(void);

// Plays a scene under `preload`, names of libraries in the build folder separated by spaces, and MEMTRACE_FEED=`feed`.
// Returns its exit code, or -1. Further variables are set by the test with setenv; the injection variables are unset
// unless the test set them after stage_open.
int stage_play(const char *scene, const char *preload, const char *feed);

// Inside a scene: cuInit and a current context, by lookups alone; the driver's handle, or NULL.
void *stage_open_device(void);

#endif
