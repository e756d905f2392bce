#!/usr/bin/env bash
# Runs the test programs named and, with the word e2e, the end-to-end cases; counts them all on the last line.
#   O=build tests/run.sh units PROGRAM... e2e
# Exits 0 when at least one test ran and none failed.
set -u
cd "$(dirname "$0")/.." || exit 1
O=$(realpath "${O:-build}")
export O
export TALLY=$O/tests/tally # one line a test: passed|failed|skipped NAME
mkdir -p "$O/tests" && : >"$TALLY" || exit 1

units=() e2e=
for argument; do
    case $argument in
    units) ;;
    e2e) e2e=1 ;;
    *) units+=("$argument") ;;
    esac
done

[ ${#units[@]} = 0 ] || tests/run-units.sh "${units[@]}"
[ -z "$e2e" ] || tests/e2e/run.sh

count() { grep -c "^$1 " "$TALLY"; }
passed=$(count passed) failed=$(count failed) skipped=$(count skipped)
if [ "$failed" != 0 ]; then
    echo "Failed:"
    sed -n 's/^failed /  /p' "$TALLY"
fi
[ "$skipped" = 0 ] && echo "$passed passed, $failed failed" || echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
