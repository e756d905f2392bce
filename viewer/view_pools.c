/*
 * --pools: of each memory pool, how much it reserved, how much of that was handed out, and the largest hole.
 */
#include <inttypes.h>

#include "viewer/pools.h"
#include "viewer/views.h"

static void write_state(const struct mt_report *report, const struct mt_pool_state *state, const char *when,
                        FILE *out) {
    enum mt_units units = report->options->units;
    uint64_t unused = state->reserved > state->handed_out ? state->reserved - state->handed_out : 0;
    fprintf(out, "  %s, after %.3f s: %s bytes (%s) reserved, ", when, mt_report_seconds(report, state->time_ns),
            mt_exact(state->reserved).text, mt_size(state->reserved, units).text);
    fprintf(out, "%s (%s) handed out in %" PRIu64 " blocks;\n", mt_exact(state->handed_out).text,
            mt_size(state->handed_out, units).text, state->blocks);
    fprintf(out, "    %s (%s) unused, the largest hole between blocks is of %s (%s)\n", mt_exact(unused).text,
            mt_size(unused, units).text, mt_exact(state->hole).text, mt_size(state->hole, units).text);
}

void mt_view_pools(struct mt_report *report, FILE *out) {
    struct mt_pools pools;
    mt_pools_find(report, &pools);
    if (pools.count == 0) fprintf(out, "No memory pool held anything.\n");
    for (size_t i = 0; i < pools.count; i++) {
        const struct mt_pool *pool = &pools.items[i];
        if (report->options->device != MT_ALL_DEVICES && (uint32_t)report->options->device != pool->device) continue;
        fprintf(out, "Pool %zu, on device %" PRIu32 "\n", i + 1, pool->device);
        write_state(report, &pool->peak, "When it first held most", out);
        write_state(report, &pool->last, pool->destroyed ? "When it was destroyed" : "At the end", out);
    }
    fputc('\n', out);
    mt_pools_clear(&pools);
}
