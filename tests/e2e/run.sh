#!/usr/bin/env bash
# Runs the end-to-end cases: each traces a small program on a device and judges what memtrace-report says of it.
#   tests/e2e/run.sh [--device sim|gpu] [--update] [CASE...]
# sim: the simulated device of $O/simcuda; gpu: the machine's own. --update rewrites the golden reports of the cases run.
# A case is one file in cases/, or FOLDER/CASE beside its programs (coverage, devices, life, public), run in an empty
# folder of its own with the helpers of lib.sh; it may not take longer than CASE_LIMIT_S. Appends to $TALLY; exits 0 when
# none failed.
set -u
here=$(realpath "$(dirname "$0")")
O=$(realpath "${O:-$here/../../build}")
export O DEVICE=sim UPDATE=
: "${TALLY:=/dev/null}" "${CASE_LIMIT_S:=120}"

cases=()
while [ $# -gt 0 ]; do
    case $1 in
    --device) DEVICE=$2 && shift ;;
    --update) UPDATE=1 ;;
    -*) echo "usage: tests/e2e/run.sh [--device sim|gpu] [--update] [CASE...]" >&2 && exit 1 ;;
    *) cases+=("$1") ;;
    esac
    shift
done
[ "$DEVICE" = sim ] || [ "$DEVICE" = gpu ] || { echo "no such device: $DEVICE (sim or gpu)" >&2 && exit 1; }
if [ ${#cases[@]} = 0 ]; then
    # On a GPU, whose time is scarce, only the cases that have something to learn from it.
    mapfile -t cases < <(cd "$here" && printf '%s\n' {cases,coverage,devices,life,public}/*.sh | while read -r file; do
        [ "$DEVICE" = gpu ] && grep -q '^sim_only$' "$file" || echo "${file%.sh}"
    done | sed 's,^cases/,,')
fi

failures=0
for name in "${cases[@]}"; do
    [ "${name#*/}" != "$name" ] && file=$here/$name.sh || file=$here/cases/$name.sh
    folder=$O/e2e/$DEVICE/$name
    # A case may have left a mount or a read-only folder behind if it was killed.
    mountpoint -q "$folder/full" 2>/dev/null && umount "$folder/full"
    chmod -R u+w "$folder" 2>/dev/null
    rm -rf "$folder" && mkdir -p "$folder" || exit 1
    start=$EPOCHREALTIME
    (cd "$folder" && exec timeout -k 5 "$CASE_LIMIT_S" bash "$here/lib.sh" "$file") >"$folder/log" 2>&1 </dev/null
    status=$?
    seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
    case $status in
    0) verdict=passed && printf 'ok    %-40s %6s s\n' "$name" "$seconds" ;;
    77) verdict=skipped && printf 'skip  %-40s %s\n' "$name" "$(tail -n 1 "$folder/log")" ;;
    *)
        verdict=failed
        failures=$((failures + 1))
        [ $status != 124 ] || echo "stopped after $CASE_LIMIT_S s" >>"$folder/log"
        printf 'FAIL  %-40s %6s s, exit code %d, in %s\n' "$name" "$seconds" $status "$folder"
        tail -n 60 "$folder/log" | sed 's/^/      | /'
        ;;
    esac
    echo "$verdict e2e-$DEVICE $name" >>"$TALLY"
done
[ $failures = 0 ]
