# Every entry point of the tracer's table is called by some program of the cases. Declined is the second form of one that
# the simulated device does not serve.
sim_only
declined=cuStreamBeginCaptureToGraph_ptsz
command -v cc >/dev/null && command -v nm >/dev/null || skip "no compiler"

cat >names.c <<'END'
#include "preload/entry_points.h"
#define MT_X(name, ...) row name##_
#define MT_S(name, ...) row name##_ row name##_ptsz_
MT_ENTRY_POINTS(MT_X, MT_S)
END
cc -E -P -D_GNU_SOURCE -I"$source_root" -isystem "${CUDA:-/usr/local/cuda}/include" names.c |
    grep -oE 'row cu\w+_' | sed 's/^row //; s/_$//' | sort -u >table
expect_match table '^cuMemAlloc_v2$'

# What programs link against, and what legacy.c looks up by name.
{
    find "$O/tests/e2e" -type f -perm -100 ! -name '*.so*' -exec nm -D --undefined-only {} + 2>/dev/null |
        awk 'NF { print $NF }' | grep -E '^cu[A-Z]'
    grep -ohE '"cu[A-Z]\w*"' "$e2e/coverage/legacy.c" | tr -d '"'
} | sort -u >called
comm -23 table called >missing
expect_equal "not called" "$declined" "$(cat missing)"
