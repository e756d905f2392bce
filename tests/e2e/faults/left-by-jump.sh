# Given threads that leave the tracer in the middle of an event, by a jump out of a signal handler, by their end or for
# another coroutine, when they go on, then every later call is in the trace, and what was missed is counted. What a
# handler calls that comes in the middle, and returns, is counted as well.
sim_only

# leave_by WAY [ROUNDS]: leaves so many times, each time later.
leave_by() {
    rounds=${2:-12}
    traced timeout 60 "$O/tests/e2e/faults/left-by-jump" "$1" $rounds
    [ "$status" != 77 ] || skip "needs a processor that steps through code"
    expect_equal "$1, $MEMTRACE_FEED: exit code" 0 "$status"
    left=$(cat out)
    [ "$left" -gt $((rounds / 2)) ] || fail "$1, $MEMTRACE_FEED: left $left times, of $rounds"
    report --ledger trace.bin
    expect_equal "$1, $MEMTRACE_FEED: allocations after it" $rounds "$(grep -c '^+ 8192 ' report.txt)"
    expect_equal "$1, $MEMTRACE_FEED: frees after it" $rounds "$(grep -c '^- 8192 ' report.txt)"
    grep -qi damaged report.err && fail "$1, $MEMTRACE_FEED: records were mixed"
    grep -q 'storing failed' err && fail "$1, $MEMTRACE_FEED: blames the storage"
    recorded=$(grep -c '^[-+] 1024 ' report.txt)
    report --summary trace.bin
    lost=$(sed -n 's/^ *lost events  *\([0-9]*\).*/\1/p' report.txt)
}

for MEMTRACE_FEED in cupti hooks; do
    export MEMTRACE_FEED
    for way in jump exit switch 'between 40'; do
        leave_by $way
        [ "$lost" -gt 0 ] && [ "$lost" -le "$left" ] || fail "$way, $MEMTRACE_FEED: $lost events lost, left $left times"
    done
    leave_by stay
    # The handler's calls: recorded where the tracer was about to begin or had just ended.
    [ "$lost" -gt 0 ] && expect_equal "stay, $MEMTRACE_FEED: calls" $((2 * left)) $((lost + recorded))
done
