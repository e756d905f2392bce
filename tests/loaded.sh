#!/usr/bin/env bash
# Runs the whole suite again and again beside two programs that never rest, for tests that depend on who is scheduled
# when. Prints a line a run, and how often each test failed.
#   tests/loaded.sh [RUNS]      20 unless said; O: the build
set -u
cd "$(dirname "$0")/.." || exit 1
runs=${1:-20}
export O=${O:-build}
folder=$O/loaded
rm -rf "$folder" && mkdir -p "$folder" || exit 1

hogs=()
for _ in 1 2; do
    (while :; do :; done) &
    hogs+=($!)
done
trap 'kill "${hogs[@]}"' EXIT

for ((run = 1; run <= runs; run++)); do
    make --no-print-directory test >"$folder/$run.log" 2>&1
    printf 'run %d: %s\n' $run "$(grep -E '^[0-9]+ passed' "$folder/$run.log" | tail -n 1)"
    sed -n 's/^failed //p' "$O/tests/tally" >"$folder/$run.failed"
done
sort "$folder"/*.failed | uniq -c | sort -rn
! grep -q . "$folder"/*.failed
