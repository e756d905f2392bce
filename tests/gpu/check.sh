#!/usr/bin/env bash
# `make check-gpu`: the end-to-end cases and the benchmark on the GPU of this machine. Builds nothing and needs no
# compiler: what it runs may have been built elsewhere and carried here (`make gpu-bundle`); libraries missing here are
# taken from $O/gpu-libs. Ends with a table for RESULTS.md, also in $O/gpu-results.txt; logs and normalised reports go to
# $O/gpu-logs.tar.gz. Exits 0 when nothing failed.
#   tests/gpu/check.sh [CASE...]
set -u
cd "$(dirname "$0")/../.." || exit 1
O=$(realpath "${O:-build}")
export O
gpu=$(timeout 60 nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null | head -n 1)
[ -n "$gpu" ] || { echo "check-gpu: no GPU answers here (nvidia-smi)" >&2 && exit 1; }
for needed in libmemtrace.so memtrace-report samples/train tests/e2e/programs/kinds; do
    [ -e "$O/$needed" ] || { echo "check-gpu: $O/$needed is missing: build first, or carry $O here" >&2 && exit 1; }
done

source tests/gpu/libraries.bash
echo "check-gpu: $gpu; $(ldd --version | head -n 1); libraries added: $(ls "${GPU_LIBRARIES%%:*}" | xargs)"

export TALLY=$O/gpu-tally CASE_LIMIT_S=${CASE_LIMIT_S:-90}
: >"$TALLY"
# Whatever hangs there, the table comes.
timeout -k 5 "${SUITE_LIMIT_S:-420}" tests/e2e/run.sh --device gpu "$@" || echo "check-gpu: the suite ended with $?"
timeout -k 5 120 tests/bench/run.sh --device gpu >"$O/gpu-bench.txt" 2>&1 || echo "failed bench bench" >>"$TALLY"

{
    echo "$gpu (name, driver, memory)"
    echo
    printf '%-36s %-10s %s\n' case 'equals sim' result
    sort -k 3 "$TALLY" | while read -r verdict _ name; do
        equal=-
        [ ! -f "$O/e2e/gpu/$name/golden-equal" ] || equal=$(cat "$O/e2e/gpu/$name/golden-equal")
        printf '%-36s %-10s %s\n' "$name" "$equal" "$verdict"
    done
    echo
    cat "$O/gpu-bench.txt"
} | tee "$O/gpu-results.txt"
(cd "$O" && tar -czf gpu-logs.tar.gz --exclude '*.bin' --exclude '*.old' e2e/gpu gpu-*.txt gpu-tally)
! grep -q '^failed ' "$TALLY"
