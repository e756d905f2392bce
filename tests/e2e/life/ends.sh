# Given a process with 5 MiB live, when it ends in any way, then it ends as it would have ended, and the trace holds the
# allocation, live, and nothing else.
source "$e2e/coverage/ledger.bash"

# ends ROW STATUS
ends() {
    traced_patiently "$life/ends" "$1"
    expect_equal "$1 ($way): exit code" "$2" "$status"
    expect_equal "$1 ($way): stderr" "" "$(cat err)"
    expect_equal "$1 ($way): trace" "+ 5242880 device cuMemAlloc_v2" "$(changes_of trace.bin)"
}

# The process image that exec puts in its place has a trace of its own beside the one that ended without a word.
ends_twice() {
    traced_patiently "$life/ends" "$1"
    expect_equal "$1 ($way): exit code" "$2" "$status"
    for trace in trace.bin trace.bin.old; do
        expect_equal "$1 ($way): $trace" "+ 5242880 device cuMemAlloc_v2" "$(changes_of $trace)"
    done
}

for row in 'return 0' 'exit 3' '_exit 4' 'quick_exit 5' 'abort 134' 'segfault 139' 'signal 143' 'kill 137' 'handler 6' \
    'thread 7' 'last-thread 7' 'exec-other 0'; do
    every_way ends $row
done
every_way ends_twice exec 0
