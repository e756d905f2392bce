/*
 * Notices; see notices.h.
 */
#include "viewer/notices.h"

#include <string.h>

#include "tracer/facts.h"

static bool has_module(const struct mt_report *report, const char *name) {
    size_t count;
    const struct mt_module *modules = mt_definitions_modules(report->definitions, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(mt_base_name(modules[i].path), name) == 0) return true;
    return false;
}

const char *mt_notice_tensors(const struct mt_report *report) {
    const char *attached = mt_definitions_fact(report->definitions, MT_FACT_ATTACHED);
    if (!attached || strcmp(attached, "injection") != 0 || !has_module(report, "libc10_cuda.so")) return NULL;
    return "PyTorch was in the process, but its tensors were not seen: LD_PRELOAD is needed for that";
}

void mt_notices(FILE *out, const struct mt_report *report) {
    const char *tensors = mt_notice_tensors(report);
    const char *why = mt_definitions_fact(report->definitions, MT_FACT_PYTHON_DECLINED);
    bool some = mt_definitions_fact(report->definitions, MT_FACT_PYTHON);
    const char *lost = mt_definitions_fact(report->definitions, MT_FACT_FEED_LOST);
    const char *unseen = mt_definitions_fact(report->definitions, MT_FACT_UNSEEN);
    if (unseen) fprintf(out, "Some calls are missing: %s. MEMTRACE_FEED=cupti sees them.\n\n", unseen);
    if (lost) fprintf(out, "The end is missing: %s, and what followed was not seen.\n\n", lost);
    if (why) fprintf(out, "%s call stacks have no Python lines: %s.\n\n", some ? "Some" : "The", why);
    if (tensors) fprintf(out, "%s.\n\n", tensors);
}
