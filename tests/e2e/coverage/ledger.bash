# Helpers of the cases that hold a report against a program's own ledger (ledger.h). Sourced by cases of coverage/, life/
# and public/ after lib.sh.
coverage=$O/tests/e2e/coverage
life=$O/tests/e2e/life
public=$O/tests/e2e/public
[ "$DEVICE" = sim ] && runtimes=(runtime runtime-simstatic) || runtimes=(runtime runtime-static)

# ledger_of TRACE: what the report says came and went, as the programs print it.
ledger_of() {
    report --ledger "$1"
    [ "$status" = 0 ] || fail "memtrace-report --ledger $1: exit code $status" >&2
    cat report.txt
}

# changes_of TRACE: the same without the totals at the end.
changes_of() {
    ledger_of "$1" | grep -v '^='
}

# each CHECK...: one of several checks of a case; those that come after it are made even if it fails, and the case fails at
# its end. A check changes nothing for the next.
failed_checks=0
each() {
    ("$@") || failed_checks=$((failed_checks + 1))
}
trap 'status=$?; [ $status != 0 ] || [ $failed_checks = 0 ] || status=1; exit $status' EXIT # 77: skipped

# The feeds through which the rows are traced: each must tell the same.
feeds=(cupti hooks)
# What the CUPTI feed says once in a program that makes a graph (faults/graph-cost).
graph_warning='^memtrace: CUPTI makes each launch of a graph slower '

# traced_patiently PROGRAM...: as traced, after removing earlier traces. A real driver that still clears away processes that
# were killed a moment before may refuse a context ("out of memory", although the device has plenty): the program, which
# ended there, is then run again. It can't try again by itself, as the refusal would be in its trace.
traced_patiently() {
    local tries=5
    rm -f trace.*
    traced "$@"
    while [ "$DEVICE" = gpu ] && ((--tries)) && grep -q ' cuDevicePrimaryCtxRetain(.* answered 2,' err; do
        sleep 1
        rm -f trace.*
        traced "$@"
    done
}

# run_row PROGRAM ROW: leaves the traces of one run; false when the device cannot do it.
run_row() {
    traced_patiently "$coverage/$1" "$2"
    expect_equal "$1 $2 ($MEMTRACE_FEED): exit code" 0 "$status"
    sed -i "/$graph_warning/d" err
    expect_equal "$1 $2 ($MEMTRACE_FEED): stderr" "" "$(cat err)"
    ! grep '^skip: ' out
}

# row PROGRAM ROW <EXPECTED: runs one row through every feed, and holds both its own ledger and the report's against the
# expected lines; lines "fact NAME VALUE" are the program's alone.
row() {
    each check_row "$@"
}

check_row() {
    cat >expected
    grep -v '^fact ' expected >expected-report
    for MEMTRACE_FEED in "${feeds[@]}"; do
        export MEMTRACE_FEED
        run_row "$@" || return 0
        sed -n 's/^ledger //p; /^fact /p' out >printed
        expect_same expected printed
        ledger_of trace.bin >found
        diff -u expected-report found || fail "$*: the report ($MEMTRACE_FEED)"
    done
}

# pair PROGRAM ROW <EXPECTED: as row, for two processes; the second one's lines begin with "importer".
pair() {
    each check_pair "$@"
}

check_pair() {
    local trace who
    cat >expected
    export MEMTRACE_OUT=$PWD/trace.%p.bin
    for MEMTRACE_FEED in "${feeds[@]}"; do
        export MEMTRACE_FEED
        run_row "$@" || return 0
        expect_equal "$*: traces" 2 "$(find . -name 'trace.*.bin' | wc -l)"
        for trace in trace.*.bin; do
            # The importer is the one whose trace holds something imported.
            ledger_of "$trace" >found
            grep -q ' imported ' found && who='importer ' || who=
            grep "^$who[-+~!=] " expected >expected-report
            sed -n "s/^${who}ledger /$who/p" out >printed
            expect_same expected-report printed
            sed "s/^/$who/" found | diff -u expected-report - || fail "$*: the report ($MEMTRACE_FEED)"
        done
    done
}

# every_way CHECK...: a check for each way into a process and each feed.
every_way() {
    local way
    for way in preload:cupti preload:hooks injection:cupti; do
        each in_way $way "$@"
    done
}

in_way() {
    way=$1
    attach=${way%:*}
    export MEMTRACE_FEED=${way#*:}
    shift
    "$@"
}

# launched_in TRACE: the calls by which the report says that something was launched, in order.
launched_in() {
    report --dump "$1"
    awk '$3 == "launched" || $3 == "graph" && /attribute=3/ { print $4 }' report.txt
}
