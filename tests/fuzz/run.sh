#!/usr/bin/env bash
# `make fuzz`: lets libFuzzer damage real traces for FUZZ_SECONDS (30). What it finds stays in $O/fuzz.
set -eu
cd "$(dirname "$0")/../.."
O=$(realpath "${O:-build}")
mkdir -p "$O/fuzz/corpus" "$O/fuzz/found"
LD_LIBRARY_PATH=$O/simcuda LD_PRELOAD=$O/libmemtrace.so MEMTRACE_OUT=$O/fuzz/corpus/seed.bin \
    "$O/tests/e2e/programs/kinds" >/dev/null || [ $? = 7 ]
for target in fuzz_reader fuzz_views; do
    "$O/$target" -max_total_time="${FUZZ_SECONDS:-30}" -timeout=10 -max_len=400000 -print_final_stats=1 \
        -artifact_prefix="$O/fuzz/found/" "$O/fuzz/corpus"
done
