# Helpers of the cases that hold a report against a program's own ledger (ledger.h). Sourced by cases of coverage/, life/
# and public/ after lib.sh.
coverage=$O/tests/e2e/coverage
life=$O/tests/e2e/life
public=$O/tests/e2e/public
[ "$DEVICE" = sim ] && runtimes=(runtime runtime-simstatic) || runtimes=(runtime runtime-static)

# ledger_of TRACE: what the report says came and went, as the programs print it.
ledger_of() {
    report --ledger "$1"
    [ "$status" = 0 ] || fail "memtrace-report --ledger $1: exit code $status"
    cat report.txt
}

# changes_of TRACE: the same without the totals at the end.
changes_of() {
    ledger_of "$1" | grep -v '^='
}

# row PROGRAM ROW <EXPECTED: runs one row and holds both its own ledger and the report's against the expected lines; lines
# "fact NAME VALUE" are the program's alone.
row() {
    rm -f trace.*
    cat >expected
    traced "$coverage/$1" "$2"
    expect_equal "$1 $2: exit code" 0 "$status"
    expect_equal "$1 $2: stderr" "" "$(cat err)"
    if grep '^skip: ' out; then return; fi
    sed -n 's/^ledger //p; /^fact /p' out >printed
    expect_same expected printed
    grep -v '^fact ' expected >expected-report
    ledger_of trace.bin >found
    expect_same expected-report found
}

# pair PROGRAM ROW <EXPECTED: as row, for two processes; the second one's lines begin with "importer".
pair() {
    rm -f trace.*
    cat >expected
    MEMTRACE_OUT=$PWD/trace.%p.bin traced "$coverage/$1" "$2"
    expect_equal "$1 $2: exit code" 0 "$status"
    expect_equal "$1 $2: stderr" "" "$(cat err)"
    if grep '^skip: ' out; then return; fi
    expect_equal "$1 $2: traces" 2 "$(find . -name 'trace.*.bin' | wc -l)"
    local trace who
    for trace in trace.*.bin; do
        # The importer is the one whose trace holds something imported.
        ledger_of "$trace" >found
        grep -q ' imported ' found && who='importer ' || who=
        grep "^$who[-+~!=] " expected >expected-report
        sed -n "s/^${who}ledger /$who/p" out >printed
        expect_same expected-report printed
        sed "s/^/$who/" found >found-named
        expect_same expected-report found-named
    done
}

# launched_in TRACE: the calls by which the report says that something was launched, in order.
launched_in() {
    report --dump "$1"
    awk '$3 == "launched" || $3 == "graph" && /attribute=3/ { print $4 }' report.txt
}
