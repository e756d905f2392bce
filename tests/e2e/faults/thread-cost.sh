# Given many short threads, some of which use CUDA in the last of their destructors, when they are gone, then each of
# their calls is in the trace, and neither the trace nor the number of mappings grows with their number.
sim_only
threads=1000

# Threads that leave something behind are noticed when there are as many as the tracer has of its own.
few=150

# check WHEN PAIRS
check() {
    plain "$O/tests/e2e/faults/thread-cost" "$1" $threads
    untraced=$(cat out)
    traced "$O/tests/e2e/faults/thread-cost" "$1" $threads
    expect_equal "$1: exit code" 0 "$status"
    [ "$(cat out)" -lt $((untraced + few)) ] || fail "$1: $(cat out) mappings, untraced $untraced"
    report --ledger trace.bin
    expect_equal "$1: allocations" "$2" "$(grep -c '^+ 4096 ' report.txt)"
    expect_equal "$1: frees" "$2" "$(grep -c '^- 4096 ' report.txt)"
    size=$(stat -c %s trace.bin)
    [ "$size" -lt $((2 << 20)) ] || fail "$1: the trace takes $size bytes"
}

check short $threads
check late $((5 * threads))
check last $threads
