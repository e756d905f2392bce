# Given children made in every way, before and after the driver is initialised, then each process that uses the device
# has a trace of its own with its own allocations, and a child that does not leaves none and disturbs none.
source "$e2e/coverage/ledger.bash"

# family ROW [TRACE...]: the traces of the row's processes, by what each allocated, sorted.
family() {
    rm -f trace.*
    MEMTRACE_OUT=$PWD/trace.%p.bin traced "$life/children" "$1"
    expect_status 0
    expect_equal "$1 ($way): stderr" "" "$(cat err)"
    [ "$1" != fork-after ] || expect_match out '^child fact refused 1$'
    shift
    for trace in trace.*; do
        changes_of "$trace" | awk '{ printf "%s%s ", $1, $2 }'
        echo
    done | sort >found
    printf '%s \n' "$@" | sort >expected
    expect_same expected found
}

every_way family fork-before "+1048576 +2097152" "+3145728"
every_way family fork-exec-before "+1048576 +2097152" "+3145728"
every_way family fork-after "+1048576 +2097152"
every_way family fork-exec-after "+1048576 +2097152" "+3145728"
every_way family fork-exit-after "+1048576 +2097152"
every_way family fork-deep "+1048576 +2097152" "+3145728"
every_way family vfork-after "+1048576 +2097152" "+3145728"
every_way family spawn-after "+1048576 +2097152" "+3145728"
every_way family system-after "+1048576 +2097152" "+3145728"
