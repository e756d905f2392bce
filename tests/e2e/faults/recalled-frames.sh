# Given functions whose way back lies among saved registers, or hangs on a register of its own, when callers that differ
# in little else follow each other, then every stack names the caller whose allocation it is.
sim_only
for MEMTRACE_FEED in hooks cupti; do
    export MEMTRACE_FEED
    traced "$O/tests/e2e/faults/recalled-frames"
    expect_status 0
    report --summary trace.bin
    expect_match report.txt '^  call stacks +unwind tables$'
    report --dump trace.bin
    row=0
    for function in holder holder_with_more room_16 room_32 room_48 room_64; do
        row=$((row + 1))
        # Each is one of 6 functions in 2 * 6 series of 4, at 4 depths.
        expect_equal "$MEMTRACE_FEED: allocations" 192 "$(allocations_of ${row}000)"
        expect_equal "$MEMTRACE_FEED: stacks of $function" 192 \
            "$(grep -cE "allocated .* bytes=${row}000 .*:[0-9]+ $function < [^<]*:[0-9]+ all < " report.txt)"
    done
done
