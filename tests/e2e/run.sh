#!/usr/bin/env bash
# Runs the end-to-end cases: each traces a small program on a device and judges what memtrace-report says of it.
#   tests/e2e/run.sh [--device sim|gpu] [--update] [--jobs N] [CASE...]
# sim: the simulated device of $O/simcuda; gpu: the machine's own. --update rewrites the golden reports of the cases run.
# A case is one file in cases/, or FOLDER/CASE beside its programs (coverage, devices, faults, life, public), run in an empty
# folder of its own with the helpers of lib.sh; it may not take longer than CASE_LIMIT_S. N cases run at
# a time (as many as there are processors, at most 4); those that measure or strain the whole device run alone where it
# is shared.
# Appends to $TALLY; exits 0 when none failed.
set -u
here=$(realpath "$(dirname "$0")")
O=$(realpath "${O:-$here/../../build}")
export O DEVICE=sim UPDATE=
: "${TALLY:=/dev/null}" "${CASE_LIMIT_S:=120}"

cases=() jobs=$(nproc)
((jobs <= 4)) || jobs=4
while [ $# -gt 0 ]; do
    case $1 in
    --device) DEVICE=$2 && shift ;;
    --update) UPDATE=1 ;;
    --jobs) jobs=$2 && shift ;;
    -*) echo "usage: tests/e2e/run.sh [--device sim|gpu] [--update] [--jobs N] [CASE...]" >&2 && exit 1 ;;
    *) cases+=("$1") ;;
    esac
    shift
done
[ "$DEVICE" = sim ] || [ "$DEVICE" = gpu ] || { echo "no such device: $DEVICE (sim or gpu)" >&2 && exit 1; }
if [ ${#cases[@]} = 0 ]; then
    # On a GPU, whose time is scarce, only the cases that have something to learn from it.
    mapfile -t cases < <(cd "$here" && printf '%s\n' {cases,coverage,devices,faults,life,public}/*.sh | while read -r file; do
        [ "$DEVICE" = gpu ] && grep -q '^sim_only$' "$file" || echo "${file%.sh}"
    done | sed 's,^cases/,,')
fi

# The file of a case.
case_file() {
    case $1 in
    */*) echo "$here/$1.sh" ;;
    *) echo "$here/cases/$1.sh" ;;
    esac
}

# Whether another process on the device would spoil the case. Each process has a simulated device of its own.
must_be_alone() {
    [ "$DEVICE" = gpu ] || return 1
    case $1 in
    coverage/* | devices/* | faults/* | public/*) return 0 ;;
    life/ends | life/children) return 0 ;; # kills or starts process after process, whose contexts the driver takes its time to clear away
    *) grep -q -e '--hidden' "$(case_file "$1")" ;;
    esac
}

# Runs one case and prints its line, and the end of its log if it failed.
run_case() {
    local name=$1 folder=$O/e2e/$DEVICE/$1 start=$EPOCHREALTIME status seconds verdict=failed
    # A case may have left a mount or a read-only folder behind if it was killed.
    mountpoint -q "$folder/full" 2>/dev/null && umount "$folder/full"
    chmod -R u+w "$folder" 2>/dev/null
    rm -rf "$folder" && mkdir -p "$folder" || return 1
    (cd "$folder" && exec timeout -k 5 "$CASE_LIMIT_S" bash "$here/lib.sh" "$(case_file "$name")") \
        >"$folder/log" 2>&1 </dev/null
    status=$?
    seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
    case $status in
    0) verdict=passed && printf 'ok    %-40s %6s s\n' "$name" "$seconds" ;;
    77) verdict=skipped && printf 'skip  %-40s %s\n' "$name" "$(tail -n 1 "$folder/log")" ;;
    *)
        [ $status != 124 ] || echo "stopped after $CASE_LIMIT_S s" >>"$folder/log"
        printf 'FAIL  %-40s %6s s, exit code %d, in %s\n' "$name" "$seconds" $status "$folder"
        tail -n 60 "$folder/log" | sed 's/^/      | /'
        ;;
    esac
    echo "$verdict e2e-$DEVICE $name" >>"$TALLY"
    [ $verdict != failed ]
}

failures=0 running=0
reap() {
    wait -n || failures=$((failures + 1))
    running=$((running - 1))
}
run_at_most() { # how many at a time, then the cases
    local most=$1 name
    shift
    for name; do
        ((running < most)) || reap
        # In one piece, so that the lines of two cases do not mix.
        { text=$(run_case "$name"); status=$?; printf '%s\n' "$text"; exit $status; } &
        running=$((running + 1))
    done
    while ((running)); do reap; done
}

alone=() together=()
for name in "${cases[@]}"; do
    must_be_alone "$name" && alone+=("$name") || together+=("$name")
done
run_at_most "$jobs" "${together[@]}"
run_at_most 1 "${alone[@]}"
[ $failures = 0 ]
