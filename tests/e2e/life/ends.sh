# Given a process with 5 MiB live, when it ends in any way, then it ends as it would have ended, and the trace holds the
# allocation, live, and nothing else.
source "$e2e/coverage/ledger.bash"

# ends ROW STATUS
ends() {
    rm -f trace.*
    traced "$life/ends" "$1"
    expect_equal "$1 ($way): exit code" "$2" "$status"
    expect_equal "$1 ($way): stderr" "" "$(cat err)"
    expect_equal "$1 ($way): trace" "+ 5242880 device cuMemAlloc_v2" "$(changes_of trace.bin)"
}

# The process image that exec puts in its place has a trace of its own beside the one that ended without a word.
ends_twice() {
    rm -f trace.*
    traced "$life/ends" "$1"
    expect_equal "$1 ($way): exit code" "$2" "$status"
    for trace in trace.bin trace.bin.old; do
        expect_equal "$1 ($way): $trace" "+ 5242880 device cuMemAlloc_v2" "$(changes_of $trace)"
    done
}

all_ends() {
    ends return 0
    ends exit 3
    ends _exit 4
    ends quick_exit 5
    ends abort 134
    ends segfault 139
    ends signal 143
    ends kill 137
    ends handler 6
    ends thread 7
    ends last-thread 7
    ends exec-other 0
    ends_twice exec 0
}
every_way all_ends
