#!/usr/bin/env bash
# What is shown on a machine with two GPUs, in one run of about a minute: the cases of tests/e2e/devices, and a training
# run of two ranks (ddp.py) with its tensors, NCCL's buffers and all device memory held against what PyTorch and the
# device say. Builds nothing, like check.sh beside it. No step stops the next one; ends with a table for RESULTS.md.
# Traces, reports and the table go to $OUT (or $O/two). NVLink multicast stays off: the environment is left as it is.
#   tests/gpu/two/two.sh            exits 0 when nothing failed
set -u
cd "$(dirname "$0")/../../.." || exit 1
O=$(realpath "${O:-build}")
OUT=${OUT:-$O/two}
work=$O/two-work
rows=$work/rows
export O TALLY=$work/tally CASE_LIMIT_S=40
rm -rf "$work" && mkdir -p "$work" "$OUT" || exit 1
: >"$TALLY" && : >"$rows"
source tests/gpu/libraries.bash
report=$O/memtrace-report
torchrun=(python3 -m torch.distributed.run)
[ -z "${TORCHRUN:-}" ] || torchrun=("$TORCHRUN") # another launcher
torch_tests=tests/gpu/torch

# verdict CHECK EXPECTED FOUND passed|FAILED: a row of the table.
verdict() {
    printf '%s\t%s\t%s\t%s\n' "$@" >>"$rows"
}

# equal CHECK EXPECTED FOUND
equal() {
    [ "$2" = "$3" ] && verdict "$@" passed || verdict "$@" FAILED
}

section() {
    printf '\n== %s (after %d s)\n' "$*" $SECONDS
}

# shown VIEW... TRACE...: a report, by this machine's own libraries.
shown() {
    LD_LIBRARY_PATH=$GPU_LIBRARIES timeout 30 "$report" "$@"
}

# All at once.
cases() {
    local running=()
    for name in "$@"; do
        tests/e2e/run.sh --device gpu "devices/$name" >"$work/case-$name" 2>&1 &
        running+=($!)
    done
    wait "${running[@]}"
    for name in "$@"; do cat "$work/case-$name"; done
}

case_rows() {
    for name in "$@"; do
        equal "case devices/$name" passed "$(awk -v name="devices/$name" '$3 == name { print $1 }' "$TALLY")"
    done
}

# What peers.c says untraced: rows that this machine cannot do, and what mutual access costs.
peer_facts() {
    for row in copies foreign-pool mapped-for-both cost; do
        LD_LIBRARY_PATH=$GPU_LIBRARIES timeout 10 "$O/tests/e2e/devices/peers" $row >"$work/peers-$row" 2>&1
        grep -E '^skip:|^fact' "$work/peers-$row" | sed "s/^/peers $row: /"
    done
}

# ddp NAME [VARIABLE=VALUE...]: a traced training run; the traces are $work/NAME/trace.RANK.bin.
ddp() {
    local folder=$work/$1
    shift
    mkdir -p "$folder"
    env "$@" LD_LIBRARY_PATH=$GPU_LIBRARIES LD_PRELOAD="$O/libmemtrace.so" \
        MEMTRACE_OUT="$folder/trace.%r.bin" timeout -k 5 60 \
        "${torchrun[@]}" --nnodes=1 --nproc-per-node=2 --master-addr=127.0.0.1 --master-port=29517 \
        tests/gpu/two/ddp.py "$folder" >"$folder/log" 2>&1
    status=$?
    tail -n 15 "$folder/log"
}

# The rows of one rank: who it is, its tensors, NCCL's memory, the device's memory.
rank_rows() {
    local folder=$work/$1 rank=$2 device=$2
    local trace=$folder/trace.$rank.bin printed=$folder/rank.$rank.txt what="$1 rank $2"
    shown --summary "$trace" >"$folder/summary.$rank" 2>&1
    equal "$what: its rank" "rank $rank of 2 (torchrun)" \
        "$(sed -n 's/^  process .*, \(rank .*\)/\1/p' "$folder/summary.$rank")"
    equal "$what: its GPU" "$(nvidia-smi --id="$device" --query-gpu=uuid --format=csv,noheader)" \
        "$(sed -n "s/^  GPU $device .*, \(GPU-.*\)/\1/p" "$folder/summary.$rank")"
    equal "$what: devices used" "$device" "$(sed -n 's/^Device \([0-9]*\) .*/\1/p' "$folder/summary.$rank" | paste -sd ' ')"
    equal "$what: lost events" 0 "$(sed -n 's/^  lost events *//p' "$folder/summary.$rank")"
    equal "$what: unknown frees" none "$(sed -n 's/^  unknown frees *//p' "$folder/summary.$rank" | grep . || echo none)"
    equal "$what: sum of ranks 1 + 2" "all-reduce 3" "$(grep '^all-reduce' "$printed")"
    equal "$what: tensors as torch counts" "19 checkpoints, 0 mismatches" \
        "$(timeout 60 python3 $torch_tests/compare_checkpoints.py --report "$folder/../report" --device "$device" \
            "$printed" "$trace" 2>&1 | tee "$folder/compare.$rank" | tail -n 1)"
    shown --peak --by module --device "$device" "$trace" >"$folder/modules.$rank" 2>&1
    local nccl
    nccl=$(awk '/libnccl/ { print $1; exit }' "$folder/modules.$rank")
    [ -n "$nccl" ] && verdict "$what: NCCL by library" "a row of libnccl" "$nccl bytes" passed ||
        verdict "$what: NCCL by library" "a row of libnccl" none FAILED
    shown --hidden --top 0 --device "$device" "$trace" >"$folder/hidden.$rank" 2>&1
    local sites
    sites=$(awk '/ in use at exit/ { exit } /libnccl.*: cu[A-Z]/ { sites++ } END { print sites + 0 }' "$folder/hidden.$rank")
    [ "$sites" != 0 ] && verdict "$what: NCCL by call site" "call sites in libnccl" "$sites rows" passed ||
        verdict "$what: NCCL by call site" "call sites in libnccl" none FAILED
    timeout 60 python3 tests/gpu/two/reconcile.py --report "$folder/../report" "$printed" "$trace" "$device" 2>&1 |
        sed "s/^/$what: /" >>"$rows"
}

# ddp_rows NAME: the rows of both ranks, and what a reader sees of them.
ddp_rows() {
    local folder=$work/$1
    equal "$1: exit code" 0 $status
    equal "$1: traces" "trace.0.bin trace.1.bin" "$(cd "$folder" && ls -- *.bin 2>/dev/null | paste -sd ' ')"
    local running=()
    for rank in 0 1; do
        rows=$folder/rows.$rank rank_rows "$1" $rank &
        running+=($!)
    done
    wait "${running[@]}"
    cat "$folder"/rows.* >>"$rows"
    for rank in 0 1; do
        echo "-- rank $rank: NCCL's rows by library, then by call site; what torch and the device printed at the end"
        grep libnccl "$folder/modules.$rank"
        grep libnccl "$folder/hidden.$rank" | head -n 12
        tail -n 4 "$folder/rank.$rank.txt"
    done
}

two_traces() {
    (cd "$work/ddp" && shown trace.0.bin trace.1.bin >lines 2>lines.err)
    equal "report on two traces: exit code" 0 $?
    equal "report on two traces: headings" "== trace.0.bin == == trace.1.bin ==" \
        "$(grep '^== ' "$work/ddp/lines" | paste -sd ' ')"
    equal "report on two traces: messages" none "$(head -c 200 "$work/ddp/lines.err" | grep . || echo none)"
    awk '/^== / { left = 8 } left-- > 0' "$work/ddp/lines" | cut -c 1-160
}

table() {
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
    LC_ALL=C.UTF-8 awk -F '\t' '
        { for (i = 1; i < 4; i++) { cell[NR, i] = $i; if (length($i) > width[i]) width[i] = length($i) }; cell[NR, 4] = $4 }
        END { for (row = 1; row <= NR; row++)
            printf "%-*s  %-*s  %-*s  %s\n", width[1], cell[row, 1], width[2], cell[row, 2], width[3], cell[row, 3],
                cell[row, 4] }' <(printf 'check\texpected\tfound\tresult\n' && cat "$rows")
    echo "$(grep -c 'passed$' "$rows") passed, $(grep -c 'FAILED$' "$rows") failed, in $SECONDS s"
}

# What there is so far, should the run be cut short.
save() {
    table >"$OUT/two-table.txt"
}

# The report under one name, with its libraries, for the comparisons.
printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$GPU_LIBRARIES" "$report" >"$work/report"
chmod +x "$work/report"

section "the machine"
nvidia-smi -L 2>&1
nvidia-smi topo -m 2>&1 | head -n 6
env | grep -E '^(NCCL|TORCH|NVSHMEM|CUDA)_' | sort
equal "GPUs" 2 "$(nvidia-smi -L 2>/dev/null | grep -c '^GPU ')"

section "cases"
timeout 90 python3 -c 'import torch; print("torch", torch.__version__, torch.cuda.nccl.version())' &
cases both both-static shared visible ranks
cases peers # alone: it also looks at all memory in use
case_rows both both-static shared visible ranks peers
peer_facts
save

section "training run of two ranks"
ddp ddp
ddp_rows ddp
two_traces
save
if [ $SECONDS -lt "${SECOND_RUN_BEFORE_S:-60}" ]; then
    section "the same, seen by hooks"
    ddp hooks MEMTRACE_FEED=hooks
    ddp_rows hooks
fi

section "table"
save
cat "$OUT/two-table.txt"
tar -czf "$OUT/two.tar.gz" -C "$work" --exclude report . 2>/dev/null
tar -czf "$OUT/two-cases.tar.gz" -C "$O/e2e/gpu" --exclude '*.bin' devices 2>/dev/null
ls -l "$OUT"
! grep -q 'FAILED$' "$rows"
