/*
 * Failed calls → text; see text_failures.h.
 */
#include "viewer/render/text_failures.h"

#include <inttypes.h>
#include <string.h>

#include "viewer/symbols/places.h"
#include "viewer/trace/effects.h"

// The CUDA runtime's own answer, which is no result of the driver's.
#define RUNTIME_UNLOADING 4 // cudaErrorCudartUnloading, driver_types.h

static void write_result(FILE *out, const struct mt_failure *failure, const char *api) {
    bool is_runtime = strncmp(api, "cuda", 4) == 0 && failure->result == RUNTIME_UNLOADING;
    const char *result = is_runtime ? "cudaErrorCudartUnloading" : mt_result_name(failure->result);
    if (!failure->result)
        fprintf(out, "out of memory");
    else if (result)
        fprintf(out, "%s (%" PRIu64 ")", result, failure->result);
    else
        fprintf(out, "CUDA error %" PRIu64, failure->result);
}

// The program's own lines from the failed call outwards.
static void write_path(FILE *out, const struct mt_report *report, uint32_t stack) {
    uint32_t path = mt_stacks_site(report->stacks, stack)->path;
    const char *separator = "    at ";
    while (path) {
        struct mt_path line = mt_stacks_path(report->stacks, path);
        fprintf(out, "%s%s", separator, mt_place_text(line.place).text);
        separator = " < ";
        path = line.parent;
    }
    fprintf(out, "\n");
}

void mt_text_failure(FILE *out, const struct mt_report *report, const struct mt_failure *failure) {
    enum mt_units units = report->options->units;
    fprintf(out, "  %s", mt_stacks_api(report->stacks, failure->stack, failure->api));
    if (failure->kind == MT_FAILURE_REQUEST) fprintf(out, " of %s", mt_amount(failure->bytes, units).text);
    if (failure->kind == MT_FAILURE_FREE && failure->address) fprintf(out, " of 0x%" PRIx64, failure->address);
    if (failure->kind == MT_FAILURE_REQUEST && failure->address) fprintf(out, " at 0x%" PRIx64, failure->address);
    fprintf(out, ": ");
    write_result(out, failure, mt_stacks_api(report->stacks, failure->stack, failure->api));
    fprintf(out, ", after %.3f s", mt_report_seconds(report, failure->time_ns));
    if (failure->count == 2) fprintf(out, ", and once more");
    if (failure->count > 2) fprintf(out, ", and %" PRIu64 " times more", failure->count - 1);
    fprintf(out, "\n");
    write_path(out, report, failure->stack);
    if (failure->kind != MT_FAILURE_REQUEST || failure->host) return;
    fprintf(out, "    device %u: %s were live, %s of device memory in use", failure->device,
            mt_amount(failure->used, units).text, mt_bytes(failure->in_use).text);
    if (failure->total) fprintf(out, " of %s", mt_exact(failure->total).text);
    fprintf(out, "\n");
    if (!failure->reserved) return;
    uint64_t cached = failure->reserved > failure->allocated ? failure->reserved - failure->allocated : 0;
    fprintf(out, "    the allocator held %s, of which %s were cached and free\n",
            mt_amount(failure->reserved, units).text, mt_amount(cached, units).text);
}

static void write_groups(FILE *out, const struct mt_group_table *table, size_t most, const char *what,
                         enum mt_units units) {
    size_t shown = table->group_count > most + 1 ? most : table->group_count;
    uint64_t rest = table->bytes;
    for (size_t i = 0; i < shown; i++) {
        const struct mt_group *group = &table->groups[i];
        fprintf(out, "    %s  %17s  %10s  %s\n", i ? "        " : what, mt_exact(group->bytes).text,
                mt_size(group->bytes, units).text, group->label);
        rest -= group->bytes;
    }
    if (rest)
        fprintf(out, "              %17s  %10s  … %zu more\n", mt_exact(rest).text, mt_size(rest, units).text,
                table->group_count - shown);
}

// Of what is cached, none was large enough, or it could not be given back.
static void write_cache(FILE *out, const struct mt_cache_state *cache, enum mt_units units) {
    if (!cache->largest) return;
    fprintf(out, "    cached: %s in %s beside tensors", mt_amount(cache->hole_bytes, units).text,
            mt_counted(cache->holes, "hole").text);
    if (cache->free_segments)
        fprintf(out, ", %s in %s without a tensor", mt_amount(cache->free_bytes, units).text,
                mt_counted(cache->free_segments, "segment").text);
    fprintf(out, "; the largest piece has %s\n", mt_amount(cache->largest, units).text);
}

void mt_text_exhaustion(FILE *out, const struct mt_report *report, const struct mt_exhaustion *exhaustion,
                        size_t most) {
    if (!exhaustion->known) return;
    write_cache(out, &exhaustion->cache, report->options->units);
    write_groups(out, &exhaustion->live.total, most, "live:   ", report->options->units);
    write_groups(out, &exhaustion->live.beside, most, "beside: ", report->options->units);
}

// "of 2,097,152 bytes, allocated by cudaMalloc at train.cu:9 main".
static void write_allocation(FILE *out, const struct mt_report *report, const struct mt_attribution *attribution) {
    const char *how = attribution->memory == MT_MEMORY_GRAPH ? "put into the graph" : "allocated";
    fprintf(out, "%s, %s by %s at %s", mt_amount(attribution->bytes, report->options->units).text, how,
            mt_stacks_api(report->stacks, attribution->stack, attribution->api),
            mt_place_text(mt_stacks_site(report->stacks, attribution->stack)->user).text);
}

void mt_text_attribution(FILE *out, const struct mt_report *report, const struct mt_attribution *attribution) {
    switch (attribution->kind) {
    case MT_ATTRIBUTION_NONE:
        return;
    case MT_ATTRIBUTION_NEVER:
        fprintf(out, "    nothing was allocated there, as far as the trace goes\n");
        return;
    case MT_ATTRIBUTION_GONE:
        fprintf(out, "    gone already: ");
        write_allocation(out, report, attribution);
        fprintf(out, ", ended after %.3f s by %s at %s\n", mt_report_seconds(report, attribution->end_time_ns),
                mt_stacks_api(report->stacks, attribution->end_stack, attribution->end_api),
                mt_place_text(mt_stacks_site(report->stacks, attribution->end_stack)->user).text);
        return;
    case MT_ATTRIBUTION_INSIDE:
        fprintf(out, "    %s inside of ", mt_bytes(attribution->offset).text);
        break;
    case MT_ATTRIBUTION_KIND:
        fprintf(out, "    another kind of memory, %s: ", mt_memory_name(attribution->memory));
        break;
    case MT_ATTRIBUTION_DEVICE:
        fprintf(out, "    memory of device %u: ", attribution->device);
        break;
    case MT_ATTRIBUTION_CONTEXT:
        fprintf(out, "    memory of another context: ");
        break;
    case MT_ATTRIBUTION_REGISTERED:
        fprintf(out, "    pinned already, in part or whole: ");
        break;
    case MT_ATTRIBUTION_LATE:
        fprintf(out, "    freed too late, after the driver had shut down: ");
        break;
    case MT_ATTRIBUTION_CAPTURED:
        fprintf(out, "    allocated only by a launch of its graph, which was not launched yet: ");
        break;
    case MT_ATTRIBUTION_IN_GRAPH:
        fprintf(out, "    allocated only from a launch of its graph on, until it is freed, which it was: ");
        break;
    case MT_ATTRIBUTION_UNFREED:
        fprintf(out, "    what its launch before allocated was not freed: ");
        break;
    }
    write_allocation(out, report, attribution);
    fputc('\n', out);
}
