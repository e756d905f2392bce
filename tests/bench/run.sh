#!/usr/bin/env bash
# `make bench`: what the tracer adds to a cudaMallocAsync + cudaFreeAsync pair and to an empty launch, and how long a
# trace gets. Untraced processes and those traced through either feed alternate, so that a drifting clock or a busy
# machine meets all; the medians are printed. It asserts nothing: times are for people to read.
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
pair() { # plain|cupti|hooks: the feed; then the program's arguments
    local feed=$1 tracer=$O/libmemtrace.so
    [ "$feed" != plain ] || tracer=
    shift
    (LD_LIBRARY_PATH=$libraries LD_PRELOAD=$tracer MEMTRACE_FEED=$feed MEMTRACE_OUT=$folder/pair.bin \
        exec timeout 120 "$O/tests/bench/pair" "$@")
}
median() { sort -g | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }

echo "device: $device, $rounds rounds of $count calls, ns a call (median)"
printf '%-30s %8s %8s %8s %6s %8s %8s %6s\n' call plain cupti added ratio hooks added ratio
for call in pair launch; do
    declare -A times=([plain]= [cupti]= [hooks]=)
    for ((round = 0; round < rounds; round++)); do
        for feed in plain cupti hooks; do times[$feed]+=$(pair $feed $call "$count")$'\n'; done
    done
    printf '%s\n' "$call" "$(median <<<"${times[plain]%$'\n'}")" "$(median <<<"${times[cupti]%$'\n'}")" \
        "$(median <<<"${times[hooks]%$'\n'}")" | xargs | awk '{
            name = $1 == "pair" ? "cudaMallocAsync+cudaFreeAsync" : "empty kernel launch"
            printf "%-30s %8.0f %8.0f %8.0f %6.2f %8.0f %8.0f %6.2f\n", name, $2, $3, $3 - $2, $3 / $2, $4, $4 - $2, $4 / $2 }'
done

pair cupti pair "$pairs" >/dev/null
echo
echo "trace of $pairs pairs: $(stat -c %s "$folder/pair.bin") bytes"
LD_LIBRARY_PATH=${GPU_LIBRARIES:-} "$O/memtrace-report" --summary "$folder/pair.bin" | grep -i 'bytes per event\|per event' || true
