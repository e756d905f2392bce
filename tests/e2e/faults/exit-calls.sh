# Given threads that allocate and free while the process exits, when it has exited, then each call that returned is in
# the trace or counted as lost, and of those that did not return at most one for each thread.
sim_only
threads=4

for MEMTRACE_FEED in cupti hooks; do
    export MEMTRACE_FEED
    for way in exit quick_exit; do
        traced timeout 60 "$O/tests/e2e/faults/exit-calls" $way returned
        expect_equal "$way, $MEMTRACE_FEED: exit code" 0 "$status"
        returned=$(od -An -t u8 returned | tr -d ' ')
        report --dump trace.bin
        recorded=$(grep -cE '^[0-9.]+ [0-9]+ (allocated|freed) ' report.txt)
        report --summary trace.bin
        lost=$(sed -n 's/^ *lost events  *\([0-9]*\).*/\1/p' report.txt)
        [ $((recorded + lost)) -ge "$returned" ] && [ $((recorded + lost)) -le $((returned + threads)) ] ||
            fail "$way, $MEMTRACE_FEED: $returned calls returned, $recorded recorded, $lost lost"
        [ $way = exit ] || [ "$lost" -ge 1000 ] || fail "$way, $MEMTRACE_FEED: $lost lost, behind the trace's end"
    done
done
