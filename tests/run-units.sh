#!/usr/bin/env bash
# Runs test programs (cmocka, read through its TAP output) one after the other; what fails is printed, what passes is a
# line. A program that prints no TAP counts as one test, judged by its exit code. Appends to $TALLY; tests/run.sh counts.
set -u
: "${TALLY:=/dev/null}" "${O:=build}"
limit_s=${UNIT_LIMIT_S:-300}
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

for program; do
    name=$(basename "$program")
    CMOCKA_MESSAGE_OUTPUT=TAP timeout -k 5 "$limit_s" "$program" >"$log" 2>&1 </dev/null
    status=$?
    # Of a skipped test cmocka says "ok" from 1.1.6 on and "not ok" before, with "# SKIP" both times.
    skipped=$(grep -ciE '^(not )?ok .*# skip' "$log")
    passed=$(grep -vi '# skip' "$log" | grep -c '^ok ') failed=$(grep -vi '# skip' "$log" | grep -c '^not ok ')
    planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log" | awk '{ sum += $1 } END { print sum + 0 }')
    if [ $((passed + failed + skipped)) = 0 ]; then
        [ $status = 0 ] && passed=1 || failed=1
    elif [ $failed = 0 ] && { [ $status != 0 ] || [ $((passed + skipped)) != "$planned" ]; }; then
        failed=1 # it died between two tests, or in a teardown
    fi
    for ((i = 0; i < passed; i++)); do echo "passed unit $name"; done >>"$TALLY"
    for ((i = 0; i < skipped; i++)); do echo "skipped unit $name"; done >>"$TALLY"
    for ((i = 0; i < failed; i++)); do echo "failed unit $name"; done >>"$TALLY"
    if [ $failed = 0 ]; then
        printf 'ok    %-40s %4d tests\n' "$name" $((passed + skipped))
    else
        printf 'FAIL  %-40s %4d of %d, exit code %d\n' "$name" $failed $((passed + failed + skipped)) $status
        tail -n 60 "$log" | sed 's/^/      | /'
    fi
done
