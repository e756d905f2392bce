/*
 * --pools: of a framework's caching allocator, of each memory pool and of the memory that graphs share, how much it
 * reserved, how much of that was handed out, and in what pieces the rest was: when it held most, and at the end.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/analysis/cache.h"
#include "viewer/analysis/pools.h"
#include "viewer/render/text_table.h"
#include "viewer/symbols/places.h"
#include "viewer/views/views.h"

static const char *end_of(const struct mt_report *report) {
    bool finished = mt_reader_header(report->reader)->state == MT_STATE_FINISHED;
    return finished ? "at exit" : "where the trace ends";
}

static bool is_shown(const struct mt_report *report, uint32_t device) {
    return report->options->device == MT_ALL_DEVICES || (uint32_t)report->options->device == device;
}

// PyTorch is known by the names that its blocks' events have; others tell theirs through NVTX.
static bool is_torch(const struct mt_report *report) {
    for (uint32_t i = 0; i < mt_definitions_api_limit(report->definitions); i++) {
        const struct mt_api *api = mt_definitions_api(report->definitions, i);
        if (api && api->memory == MT_MEMORY_TENSOR && strncmp(api->name, "torch ", 6) == 0) return true;
    }
    return false;
}

static void write_heading(const struct mt_report *report, uint32_t device, const char *what, const char *when,
                          uint64_t time_ns, FILE *out) {
    struct mt_account account = mt_account_of_device(report, device);
    char *name = mt_account_name(&account, report);
    fprintf(out, "%s: %s %s, after %.3f s\n", name, what, when, mt_report_seconds(report, time_ns));
    free(name);
}

static void write_cache_state(const struct mt_report *report, const struct mt_cache_state *state, FILE *out) {
    const struct mt_text_table table = {.out = out, .units = report->options->units, .total = state->reserved};
    if (!state->reserved) {
        fprintf(out, "  nothing\n");
        return;
    }
    mt_text_table_header(&table, "memory");
    mt_text_table_row(&table, state->handed_out, state->blocks, "in tensors");
    mt_text_table_row(&table, state->hole_bytes, state->holes, "cached, in holes beside tensors");
    mt_text_table_row(&table, state->free_bytes, state->free_segments,
                      is_torch(report) ? "cached, in segments without a tensor: torch.cuda.empty_cache() returns them"
                                       : "cached, in segments without a tensor");
    mt_text_table_row(&table, state->reserved, state->segments, "reserved, in segments");
    if (state->largest)
        fprintf(out, "  The largest piece that is free has %s.\n", mt_amount(state->largest, table.units).text);
}

static void show_cache(const struct mt_report *report, const struct mt_cache *cache, FILE *out) {
    const char *what = is_torch(report) ? "PyTorch's caching allocator" : "a framework's caching allocator";
    write_heading(report, cache->device, what, "when it first held most", cache->peak.time_ns, out);
    write_cache_state(report, &cache->peak, out);
    fprintf(out, "  It had just grown for %s, by %s.\n", mt_amount(cache->peak_bytes, report->options->units).text,
            mt_place_text(mt_stacks_site(report->stacks, cache->peak_stack)->user).text);
    write_heading(report, cache->device, what, end_of(report), cache->end.time_ns, out);
    write_cache_state(report, &cache->end, out);
    fprintf(out, "  It grew %s", mt_counted(cache->growths, "time").text);
    if (cache->vain)
        fprintf(out,
                ", %" PRIu64 " of them with as much cached: in too small pieces, or kept for another size or stream",
                cache->vain);
    fprintf(out, ".\n\n");
}

static void show_caches(const struct mt_report *report, size_t *shown, FILE *out) {
    struct mt_caches caches;
    mt_caches_find(report, &caches);
    for (size_t i = 0; i < caches.count; i++) {
        if (!is_shown(report, caches.items[i].device)) continue;
        show_cache(report, &caches.items[i], out);
        ++*shown;
    }
    free(caches.items);
}

static void write_pool_state(const struct mt_report *report, const struct mt_pool *pool,
                             const struct mt_pool_state *state, FILE *out) {
    const struct mt_text_table table = {.out = out, .units = report->options->units, .total = state->reserved};
    mt_text_table_header(&table, "memory");
    mt_text_table_row(&table, state->handed_out, state->blocks,
                      pool->graphs ? "allocated by launches, not freed yet" : "handed out, in blocks");
    mt_text_table_row(&table, state->reserved - state->handed_out, 0,
                      pool->graphs ? "kept for launches: cuDeviceGraphMemTrim returns what no graph has in use"
                                   : "not handed out");
    mt_text_table_row(&table, state->reserved, 0, "reserved");
    if (state->hole && state->blocks)
        fprintf(out, "  The largest hole between blocks has %s.\n", mt_amount(state->hole, table.units).text);
}

static void show_pools(const struct mt_report *report, size_t *shown, FILE *out) {
    struct mt_pools pools;
    mt_pools_find(report, &pools);
    size_t number = 0;
    for (size_t i = 0; i < pools.count; i++) {
        const struct mt_pool *pool = &pools.items[i];
        if (!pool->graphs) number++;
        if (!is_shown(report, pool->device)) continue;
        char what[48] = "memory of CUDA graphs";
        if (!pool->graphs) snprintf(what, sizeof(what), "memory pool %zu", number);
        write_heading(report, pool->device, what, "when it first held most", pool->peak.time_ns, out);
        write_pool_state(report, pool, &pool->peak, out);
        write_heading(report, pool->device, what, pool->destroyed ? "when it was destroyed" : end_of(report),
                      pool->last.time_ns, out);
        write_pool_state(report, pool, &pool->last, out);
        fprintf(out, "\n");
        ++*shown;
    }
    mt_pools_clear(&pools);
}

void mt_view_pools(struct mt_report *report, FILE *out) {
    size_t shown = 0;
    show_caches(report, &shown, out);
    show_pools(report, &shown, out);
    if (!shown) fprintf(out, "No pool's and no framework's memory was recorded.\n\n");
}
