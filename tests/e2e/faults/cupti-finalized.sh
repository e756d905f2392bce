# Given a client that finalizes CUPTI, or a CUPTI that gives up by itself, when the hooks can take over, then they do:
# with the change in the trace, and every call, once. Where they cannot, the trace says that its end is missing.
# finalized HOW [again]
finalized() {
    traced "$O/tests/e2e/faults/cupti-finalized" "$@"
    expect_status 0
    report --dump trace.bin
    found="$(allocations_of 1000) $(allocations_of 2000) $(grep -c ' handed-over ' report.txt)"
}

[ "$DEVICE" = sim ] && ways='linked lookup unseen error' || ways='linked lookup unseen'
for way in $ways; do
    [ $way = error ] && export SIMCUDA_CUPTI=fatal || unset SIMCUDA_CUPTI
    for client in '' again; do
        for MEMTRACE_FEED in cupti both hooks; do
            export MEMTRACE_FEED
            finalized $way $client
            expect_equal "$way $MEMTRACE_FEED: stderr" "" "$(cat err)"
            [ $MEMTRACE_FEED = hooks ] && changed=0 || changed=1
            expect_equal "$way $client $MEMTRACE_FEED: of 1000, of 2000, changes of feed" "3 5 $changed" "$found"
            report --coverage trace.bin
            expect_no_match report.txt 'ended before'
        done
    done

    export MEMTRACE_FEED=auto attach=injection
    finalized $way
    expect_equal "$way, injection: of 1000, of 2000, changes of feed" "3 0 0" "$found"
    expect_match err '^memtrace: CUPTI (was finalized by the program|gave up: .*): what followed is not in the trace; '
    expect_equal "$way, injection: lines on stderr" 1 "$(wc -l <err)"
    report --summary trace.bin
    expect_match report.txt '^  feed ended early +CUPTI (was finalized by the program|gave up: )'
    report --coverage trace.bin
    expect_match report.txt '^The feed ended before the process did: CUPTI '
    report trace.bin
    expect_match report.txt '^Incomplete: the end is missing: CUPTI '
    attach=preload
done

# Nothing of the kind is said of a program that leaves CUPTI alone.
export MEMTRACE_FEED=cupti
unset SIMCUDA_CUPTI
for attach in preload injection; do
    finalized none
    expect_equal "none, $attach" "3 5 0" "$found"
    expect_equal "none, $attach: stderr" "" "$(cat err)"
    report --coverage trace.bin
    expect_no_match report.txt 'ended before'
done
