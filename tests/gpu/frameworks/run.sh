#!/usr/bin/env bash
# What other allocators do on a real GPU: JAX by its platform allocator and with its arena, CuPy with its pool, without
# and with CUDA's, PyTorch with expandable segments and with CUDA's pool. Each program runs plain and traced by CUPTI
# beside others, then traced by hooks, alone on the GPU. Held against each other: our figures and the allocator's own at
# every checkpoint, what the program says its lines took and what the report shows there, what it printed with and
# without the tracer; and what of the device's memory is unexplained, alone (hidden) and beside others (shared). Needs a
# python3 with jax, cupy and torch; builds nothing; less than two minutes.
# Ends with a table, also in $OUT/frameworks-table.txt ($OUT: $O/frameworks unless set), beside frameworks.tar.gz with
# all that was printed and reported. No program stops another. Exits 0 when nothing failed.
#   tests/gpu/frameworks/run.sh [NAME...]     names as in `programs` below; JOBS (8) beside each other
set -u
cd "$(dirname "$0")/../../.." || exit 1
O=$(realpath "${O:-build}")
OUT=${OUT:-$O/frameworks}
export O
work=$O/frameworks-work
rm -rf "$work" && mkdir -p "$work" "$OUT" || exit 1
source tests/gpu/libraries.bash
here=tests/gpu/frameworks
compare=tests/gpu/torch/compare_checkpoints.py

# Name | variable of the environment | what torch's figures are held against, or - | program and arguments
programs='
jax-platform         | XLA_PYTHON_CLIENT_ALLOCATOR=platform         | -                                 | jax_platform.py
jax-arena            | XLA_CLIENT_MEM_FRACTION=.1                   | -                                 | jax_arena.py
jax-growing          | XLA_PYTHON_CLIENT_PREALLOCATE=false          | -                                 | jax_arena.py
cupy-pool            | CUPY_CACHE_IN_MEMORY=1                       | -                                 | cupy_pool.py pool
cupy-no-pool         | CUPY_CACHE_IN_MEMORY=1                       | -                                 | cupy_pool.py none
cupy-async           | CUPY_CACHE_IN_MEMORY=1                       | -                                 | cupy_pool.py async
cupy-asyncpool       | CUPY_CACHE_IN_MEMORY=1                       | -                                 | cupy_pool.py asyncpool
torch-expandable-e01 | PYTORCH_ALLOC_CONF=expandable_segments:True  | allocated=tensors,peak=peak,reserved=segments | ../torch/e01_linear_adamw.py
torch-expandable-e06 | PYTORCH_ALLOC_CONF=expandable_segments:True  | allocated=tensors,peak=peak,reserved=segments | ../torch/e06_cached_is_not_used.py
torch-expandable-e09 | PYTORCH_ALLOC_CONF=expandable_segments:True  | allocated=tensors,peak=peak,reserved=live-physical | ../torch/e09_out_of_memory.py
torch-async-e01      | PYTORCH_ALLOC_CONF=backend:cudaMallocAsync   | allocated=live-pool,reserved=pools | ../torch/e01_linear_adamw.py
torch-async-e06      | PYTORCH_ALLOC_CONF=backend:cudaMallocAsync   | allocated=live-pool,reserved=pools | ../torch/e06_cached_is_not_used.py
'

# A framework finds its own CUDA, as it does for its user; of what travels with us only the tracer's own needs are added.
extra=$work/libraries
mkdir -p "$extra"
for library in "$O"/gpu-libs-used/*; do
    case $(basename "$library") in
    libcu* | libnv*) ;;
    *) ln -s "$(realpath "$library")" "$extra/" ;;
    esac
done
printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec timeout 30 %s "$@"\n' "$GPU_LIBRARIES" "$O/memtrace-report" >"$work/report"
chmod +x "$work/report"
report=$work/report

# run FOLDER VARIABLE PROGRAM...: one run, with what is in `tracing`; its exit code is in FOLDER/status.
run() {
    local folder=$1 variable=$2 script=$3
    shift 3
    env "$variable" "${tracing[@]}" PYTHONUNBUFFERED=1 LD_LIBRARY_PATH="$extra${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
        timeout -k 5 60 python3 "$script" "$@" >"$folder/out" 2>"$folder/err"
    echo $? >"$folder/status"
}

# verdict NAME FEED CHECK RESULT passed|FAILED
verdict() {
    printf '%-21s %-6s %-12s %-7s %s\n' "$1" "$2" "$3" "$5" "$4" >>"$work/$1/rows"
}

# checked NAME FEED CHECK COMMAND...: the last line that the command prints is the result.
checked() {
    local name=$1 feed=$2 check=$3 result=passed folder=$work/$1/$2
    shift 3
    "$@" >"$folder/$check" 2>&1 || result=FAILED
    verdict "$name" "$feed" "$check" "$(tail -n 1 "$folder/$check")" $result
    [ $result = passed ] || sed "\$d; s/^/    $name $feed $check: /" "$folder/$check" | head -n 8 >>"$work/$name/details"
}

# What nobody explains must be little: 4 MiB, or 1 % of what is in use.
hidden() {
    "$report" --hidden "$1" >"$2"
    awk '/ in use (at most|at exit)/ { moment = $0; sub(/.* in use /, "", moment); sub(/,.*/, "", moment) }
        / unexplained$/ { gsub(/,/, "", $1); unexplained = $1 + 0 }
        / in use$/ {
            gsub(/,/, "", $1)
            in_use = $1 + 0
            limit = in_use / 100 > 4194304 ? in_use / 100 : 4194304
            wrong += unexplained > limit || unexplained < -limit
            text = text (text ? "; " : "") sprintf("%d of %d %s", unexplained, in_use, moment)
        }
        END { print text ? text : "no account of a device"; exit wrong || !text }' "$2"
}

# judge NAME FIGURES FEED PROGRAM: what is unexplained is the check named in `hidden_is`.
judge() {
    local name=$1 figures=$2 feed=$3 program=$4 folder=$work/$1/$3 options=()
    local trace=$folder/trace.bin
    [ "$figures" = - ] || options=(--figures "$figures")
    if [ "$(cat "$folder/status")" != 0 ] || [ ! -s "$trace" ]; then
        verdict "$name" "$feed" run "exit code $(cat "$folder/status"), trace of $(stat -c %s "$trace" 2>/dev/null || echo no) bytes" FAILED
        tail -n 12 "$folder/err" | cut -c 1-220 | sed "s/^/    $name $feed: /" >>"$work/$name/details"
        [ -s "$trace" ] || return 1
    fi
    for view in summary pools kinds dump; do "$report" --$view "$trace" >"$folder/$view.txt" 2>&1; done
    "$report" --peak --by module "$trace" >"$folder/modules.txt" 2>&1
    "$report" "$trace" >"$folder/lines.txt" 2>&1
    checked "$name" "$feed" checkpoints timeout 60 python3 $compare --report "$report" ${options[@]+"${options[@]}"} "$folder/out" "$trace"
    checked "$name" "$feed" lines timeout 60 python3 $here/compare_lines.py --report "$report" --program "$program" "$folder/out" "$trace"
    checked "$name" "$feed" $hidden_is hidden "$trace" "$folder/hidden.txt"
    diff "$work/$name/plain/out" "$folder/out" >"$folder/difference" &&
        verdict "$name" "$feed" output "the same $(wc -l <"$folder/out") lines as untraced" passed ||
        verdict "$name" "$feed" output "differs: $(grep -m 1 '^[<>]' "$folder/difference" | cut -c 1-80)" FAILED
    verdict "$name" "$feed" feed "$(sed -n 's/^  feed *//p' "$folder/summary.txt" | cut -c 1-80)" \
        "$(grep -q "^  feed *$feed" "$folder/summary.txt" && echo passed || echo FAILED)"
}

# plain NAME VARIABLE PROGRAM...
plain() {
    mkdir -p "$work/$1/plain"
    tracing=()
    run "$work/$1/plain" "${@:2}"
    [ "$(cat "$work/$1/plain/status")" = 0 ] || {
        verdict "$1" - plain "exit code $(cat "$work/$1/plain/status")" FAILED
        tail -n 12 "$work/$1/plain/err" | cut -c 1-220 | sed "s/^/    $1 untraced: /" >>"$work/$1/details"
    }
}

# traced NAME FEED VARIABLE PROGRAM...
traced() {
    mkdir -p "$work/$1/$2"
    tracing=("LD_PRELOAD=$O/libmemtrace.so" "MEMTRACE_FEED=$2" "MEMTRACE_OUT=$work/$1/$2/trace.bin")
    run "$work/$1/$2" "${@:3}"
}

# The two stages, for NAME VARIABLE FIGURES PROGRAM...
beside_others() {
    while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-8}" ]; do wait -n; done
    {
        hidden_is=shared
        plain "$1" "$2" "${@:4}"
        traced "$1" cupti "$2" "${@:4}"
        judge "$1" "$3" cupti "$(basename "$4")"
    } &
}

alone() {
    hidden_is=hidden
    traced "$1" hooks "$2" "${@:4}"
    judge "$1" "$3" hooks "$(basename "$4")" &
}

# The first rows of the default report, and what took the most at the peak.
sample() {
    local folder=$work/$1/hooks
    echo "== $1"
    grep -E '^[+-] ' "$folder/lines.txt" 2>/dev/null | awk '!seen[$0]++' | head -n 5
    sed -n "2,5p" "$folder/modules.txt" 2>/dev/null | sed "s/^ *//" | cut -c 1-150
}

# each STAGE [NAME...]: the stage for every program that is asked for.
each() {
    local stage=$1 name variable figures command
    shift
    while IFS='|' read -r name variable figures command; do
        read -r name <<<"$name" && [ -n "$name" ] || continue
        [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
        read -r variable <<<"$variable"
        read -r figures <<<"$figures"
        read -r -a command <<<"$command"
        $stage "$name" "$variable" "$figures" "$here/${command[0]}" "${command[@]:1}"
    done <<<"$programs"
    wait
}

named() { names+=("$1"); }

names=()
each named "$@"
each beside_others "$@"
each alone "$@"

for name in "${names[@]}"; do
    sample "$name"
    cat "$work/$name/details" 2>/dev/null
done >"$OUT/frameworks-details.txt"
grep '^    ' "$OUT/frameworks-details.txt" | head -c 5000 # why something failed
echo
{
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null
    for name in "${names[@]}"; do cat "$work/$name/rows"; done
} >"$OUT/frameworks-table.txt"
failed=$(grep -c ' FAILED ' "$OUT/frameworks-table.txt")
echo "$(grep -c ' passed ' "$OUT/frameworks-table.txt") passed, $failed failed, in $SECONDS s" >>"$OUT/frameworks-table.txt"
tar -czf "$OUT/frameworks.tar.gz" -C "$work" --exclude libraries . 2>/dev/null
cat "$OUT/frameworks-table.txt"
[ "$failed" = 0 ]
