# Given a preloaded library that interposes functions of the C library and ends before we do, then the program ends as
# untraced, and what static destructors free is in the trace.
statics=$O/tests/e2e/life/statics
mortals=("$O/tests/e2e/faults/names/mortal.so")
faketime=$(ls /usr/lib/*/faketime/libfaketime.so.1 2>/dev/null | head -n 1)
[ -z "$faketime" ] || mortals+=("$faketime")

plain "$statics" exit
mv out plain.out
for MEMTRACE_FEED in auto hooks cupti; do
    export MEMTRACE_FEED
    for mortal in "${mortals[@]}"; do
        for order in "$mortal:$library" "$library:$mortal"; do
            preloaded() { LD_PRELOAD=$order exec "$statics" exit; }
            traced preloaded
            expect_status 0
            expect_same plain.out out
            expect_equal "stderr" "" "$(cat err)"
            report --summary trace.bin
            expect_status 0
            expect_match report.txt '^  events .*allocated 2, freed 1\b'
            expect_match report.txt '^  trace +finished, by exit$'
            rm trace.bin
        done
    done
done
