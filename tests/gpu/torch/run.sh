#!/usr/bin/env bash
# PyTorch on a real GPU: the experiments E1 to E10 as a user would write them, our figures held against torch's own at
# every checkpoint; tensor events held against torch's own recorder; the time of a training step, plain, recorded and with
# torch's recorder, by turns. Needs a python3 with torch, torchvision and transformers; builds nothing. Prints a table last,
# also written to $O/torch-results.txt; traces and reports go to $O/torch. Exits 0 when nothing differs.
#   tests/gpu/torch/run.sh [experiments] [recorder] [times]      default: all three; WORKLOADS, FEEDS and ROUNDS (100) of times
set -u
cd "$(dirname "$0")/../../.." || exit 1
O=$(realpath "${O:-build}")
export O
source tests/gpu/libraries.bash
export LD_LIBRARY_PATH=$GPU_LIBRARIES PYTHONUNBUFFERED=1
folder=$O/torch
mkdir -p "$folder"
table=$O/torch-results.txt
: >"$table"
failed=0
[ $# -gt 0 ] || set -- experiments recorder times

# traced TRACE COMMAND...: within 100 s, stderr kept beside the trace.
traced() {
    local trace=$1
    shift
    LD_PRELOAD=$O/libmemtrace.so MEMTRACE_OUT=$trace timeout -k 5 100 "$@" 2>"$trace.err"
}

# row NAME COMMAND...: the command's last line becomes the table's.
row() {
    local name=$1 verdict=equal
    shift
    timeout -k 5 60 "$@" >"$folder/compare.txt" 2>&1 || verdict=DIFFERENT failed=1
    head -n 20 "$folder/compare.txt"
    printf '%-28s %-10s %s\n' "$name" "$verdict" "$(tail -n 1 "$folder/compare.txt")" >>"$table"
}

experiments() {
    local script name
    for script in tests/gpu/torch/e[0-9]*.py; do
        name=$(basename "$script" .py)
        traced "$folder/$name.bin" python3 "$script" >"$folder/$name.txt" || echo "$name: exit code $?"
        row "$name" python3 tests/gpu/torch/compare_checkpoints.py --report "$O/memtrace-report" "$folder/$name.txt" \
            "$folder/$name.bin"
    done
}

recorder() {
    local workload
    for workload in mlp transformer vgg19 resnet18; do
        traced "$folder/$workload.bin" python3 tests/gpu/torch/record.py $workload 3 "$folder/$workload.json"
        row "recorder: $workload" python3 tests/gpu/torch/compare_recorder.py --report "$O/memtrace-report" \
            "$folder/$workload.json" "$folder/$workload.bin"
    done
}

times() {
    local workload feed program=tests/gpu/torch/step_time.py
    printf '\n%-12s %-6s %s\n' workload feed 'step: medians in µs (longer than plain: median, quartiles)' >>"$table"
    for workload in ${WORKLOADS:-mlp transformer resnet18}; do
        printf '%-12s %-6s %s\n' $workload none "$(timeout -k 5 100 python3 $program $workload ${ROUNDS:-} 2>/dev/null)" >>"$table"
        for feed in ${FEEDS:-hooks cupti}; do
            printf '%-12s %-6s %s\n' $workload $feed \
                "$(MEMTRACE_FEED=$feed traced "$folder/times.bin" python3 $program $workload ${ROUNDS:-})" >>"$table"
        done
    done
}

for part in "$@"; do $part; done
echo
cat "$table"
exit $failed
