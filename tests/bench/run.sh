#!/usr/bin/env bash
# `make bench`: what the tracer adds to a cudaMallocAsync + cudaFreeAsync pair, to an empty launch, to a launch of a graph
# of 20 kernels, and to a tensor's coming and going under 25 Python frames and up to 30 native ones (on stand-ins for
# PyTorch's libraries, which do nothing themselves, so there is no ratio to speak of), and how long a trace gets.
# Untraced processes and those traced through either feed alternate, so that a drifting clock or a busy machine meets
# all; the medians are printed. It asserts nothing: times are for people to read.
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
python=$(tests/pythons.sh | tail -n 1)
time_call() { # plain|cupti|hooks: the feed; pair|launch|graph|tensors: the call; how many
    local feed=$1 tracer=$O/libmemtrace.so program=("$O/tests/bench/pair" "$2")
    [ "$feed" != plain ] || tracer=
    [ "$2" != tensors ] || program=("$python" tests/bench/tensors.py libcudart.so.13 "$O/tests/bench/libtensors.so")
    (LD_LIBRARY_PATH=$libraries LD_PRELOAD=$tracer MEMTRACE_FEED=$feed MEMTRACE_QUIET=1 MEMTRACE_OUT=$folder/$2.bin \
        exec timeout 120 "${program[@]}" "$3")
}
median() { sort -g | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }

echo "device: $device, $rounds rounds of $count calls, ns a call (median)"
printf '%-30s %8s %8s %8s %6s %8s %8s %6s\n' call plain cupti added ratio hooks added ratio
for call in pair launch graph ${python:+tensors}; do
    calls=$count
    [ $call != graph ] || calls=$((count / 10))
    declare -A times=([plain]= [cupti]= [hooks]=)
    for ((round = 0; round < rounds; round++)); do
        for feed in plain cupti hooks; do times[$feed]+=$(time_call $feed $call "$calls")$'\n'; done
    done
    printf '%s\n' "$call" "$(median <<<"${times[plain]%$'\n'}")" "$(median <<<"${times[cupti]%$'\n'}")" \
        "$(median <<<"${times[hooks]%$'\n'}")" | xargs | awk '{
            name["pair"] = "cudaMallocAsync+cudaFreeAsync"; name["launch"] = "empty kernel launch"
            name["graph"] = "graph launch of 20 kernels"; name["tensors"] = "tensor malloc+free (Python)"
            printf "%-30s %8.0f %8.0f %8.0f %6.2f %8.0f %8.0f %6.2f\n", name[$1], $2, $3, $3 - $2, $3 / $2, $4, $4 - $2, $4 / $2 }'
done

time_call cupti pair "$pairs" >/dev/null
echo
echo "trace of $pairs pairs: $(stat -c %s "$folder/pair.bin") bytes"
LD_LIBRARY_PATH=${GPU_LIBRARIES:-} "$O/memtrace-report" --summary "$folder/pair.bin" | grep -i 'bytes per event\|per event' || true
