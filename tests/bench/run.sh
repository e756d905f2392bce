#!/usr/bin/env bash
# `make bench`: what the tracer adds to a cudaMallocAsync + cudaFreeAsync pair and to an empty launch, and how long a
# trace gets. Untraced and traced processes alternate, so that a drifting clock or a busy machine meets both; the
# medians are printed. It asserts nothing: times are for people to read.
#   tests/bench/run.sh [--device sim|gpu]    ROUNDS (5), COUNT (200000) and PAIRS (1000000) may be set
set -eu
cd "$(dirname "$0")/../.."
O=$(realpath "${O:-build}")
rounds=${ROUNDS:-5} count=${COUNT:-200000} pairs=${PAIRS:-1000000}

device=sim
if [ "${1:-}" = --device ]; then
    device=$2
elif command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi -L 2>/dev/null | grep -q '^GPU '; then
    device=gpu
fi
[ $device = gpu ] && libraries=${GPU_LIBRARIES:-} || libraries=$O/simcuda

folder=$O/bench
mkdir -p "$folder"
pair() { # plain|traced, then the program's arguments
    local tracer=
    [ "$1" = plain ] || tracer=$O/libmemtrace.so
    shift
    (LD_LIBRARY_PATH=$libraries LD_PRELOAD=$tracer MEMTRACE_OUT=$folder/pair.bin exec timeout 120 "$O/tests/bench/pair" "$@")
}
median() { sort -g | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }

echo "device: $device, $rounds rounds of $count calls, ns a call (median)"
printf '%-36s %10s %10s %10s %8s\n' call plain traced added ratio
for call in pair launch; do
    plain=() traced=()
    for ((round = 0; round < rounds; round++)); do
        plain+=("$(pair plain $call "$count")")
        traced+=("$(pair traced $call "$count")")
    done
    printf '%s %s\n' "$(printf '%s\n' "${plain[@]}" | median)" "$(printf '%s\n' "${traced[@]}" | median)" |
        awk -v call=$call '{ name = call == "pair" ? "cudaMallocAsync + cudaFreeAsync" : "empty kernel launch"
            printf "%-36s %10.0f %10.0f %10.0f %8.2f\n", name, $1, $2, $2 - $1, $2 / $1 }'
done

pair traced pair "$pairs" >/dev/null
echo
echo "trace of $pairs pairs: $(stat -c %s "$folder/pair.bin") bytes"
LD_LIBRARY_PATH=${GPU_LIBRARIES:-} "$O/memtrace-report" --summary "$folder/pair.bin" | grep -i 'bytes per event\|per event' || true
