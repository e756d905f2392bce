# Given threads, signal stacks and coroutines of 16 KiB, when they use CUDA, then they run as untraced and their calls
# are in the trace, with stacks; an event, the first one as well, takes less than 4 KiB of its thread's stack.
sim_only
program=$O/tests/e2e/faults/stack-need

plain "$program" measure
expect_status 0
mv out plain.out
for MEMTRACE_FEED in cupti hooks; do
    export MEMTRACE_FEED
    traced "$program" measure
    expect_status 0
    join plain.out out >both.out || fail "the lines differ"
    expect_lines both.out 6
    while read -r what untraced traced; do
        [ $((traced - untraced)) -le 4096 ] ||
            fail "$what, $MEMTRACE_FEED: $traced bytes of the stack, untraced $untraced"
    done <both.out

    for what in "thread 4444" "signal 5555" "coroutine 7777 9999 8888"; do
        set -- $what
        traced "$program" "$1"
        expect_status 0
        shift
        report --dump trace.bin
        for bytes; do
            expect_equal "$what, $MEMTRACE_FEED: allocations of $bytes" 1 "$(allocations_of "$bytes")"
            expect_match report.txt " bytes=$bytes .* \| stack-need\.c:[0-9]+ take < "
        done
    done
done
