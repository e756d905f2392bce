/*
 * What test_python_frames.py calls through ctypes, which releases the GIL: reports the stack of its caller as the
 * Python feed sees it. A line a frame, innermost first: "P function file:line" or "N module symbol".
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/guard.h"
#include "preload/python/frames.h"
#include "tests/fakes/python_probe.h"
#include "tests/fakes/recorder.h"

enum { DEPTH = 256, TEXT_BYTES = 1 << 16, KNOWN_FRAMES = 1 << 14 };

// As in a trace, a frame's line is the one that it had when it came first.
static void keep_first_lines(struct mt_frame *frames, size_t count) {
    static __thread struct mt_frame *known; // by hash
    if (!known) known = calloc(KNOWN_FRAMES, sizeof *known);
    for (size_t i = 0; known && i < count; i++) {
        if (!frames[i].python) continue;
        size_t at = frames[i].address * 0x9e3779b97f4a7c15u % KNOWN_FRAMES;
        while (known[at].python && known[at].address != frames[i].address) at = (at + 1) % KNOWN_FRAMES;
        if (known[at].python) {
            frames[i].line = known[at].line;
        } else {
            known[at] = frames[i];
        }
    }
}

static size_t native_stack(struct mt_frame *frames) {
    void *addresses[DEPTH];
    int count = backtrace(addresses, DEPTH);
    size_t kept = 0;
    Dl_info here, there;
    dladdr((void *)native_stack, &here);
    for (int i = 0; i < count; i++) {
        bool ours = dladdr(addresses[i], &there) && there.dli_fbase == here.dli_fbase;
        if (!ours || kept > 0) frames[kept++] = (struct mt_frame){.address = (uintptr_t)addresses[i]};
    }
    return kept;
}

static int describe(const struct mt_frame *frame, char *out, size_t bytes) {
    Dl_info info;
    if (frame->python) return snprintf(out, bytes, "P %s:%u\n", fake_recorder_name(frame->address >> 32), frame->line);
    if (!dladdr((void *)(frame->address - 1), &info)) return snprintf(out, bytes, "N ? ?\n");
    const char *slash = strrchr(info.dli_fname, '/');
    return snprintf(out, bytes, "N %s %s\n", slash ? slash + 1 : info.dli_fname, info.dli_sname ? info.dli_sname : "?");
}

static void describe_stack(void *argument) {
    char *text = argument;
    struct mt_frame frames[DEPTH];
    size_t used = 0;
    size_t count = mt_python_rewrite(frames, native_stack(frames), DEPTH);
    mt_python_lines(frames, count);
    keep_first_lines(frames, count);
    text[0] = '\0';
    for (size_t i = 0; i < count && used < TEXT_BYTES - 1; i++) {
        used += (size_t)describe(&frames[i], text + used, TEXT_BYTES - used);
    }
}

const char *probe(void) {
    static __thread char *text; // a pointer, since static TLS is scarce in a library that is dlopen'ed
    if (!text) text = malloc(TEXT_BYTES);
    if (!text) return "";
    mt_guarded(describe_stack, text);
    return text;
}

const char *probe_start(void) {
    static int some_trace;
    fake_recorder_reset(true);
    mt_python_start((struct mt_trace *)&some_trace);
    return fake_recorder_take();
}

const char *probe_facts(void) {
    return fake_recorder_take();
}
