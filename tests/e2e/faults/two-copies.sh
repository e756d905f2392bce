# Given two copies of the library, preloaded or one of them loaded by the driver, then the first one traces and the other
# stands aside.
cp "$library" copy.so
limited=$O/tests/e2e/faults/names/limited

for MEMTRACE_FEED in auto hooks cupti both; do
    export MEMTRACE_FEED
    for order in "$library:$PWD/copy.so" "$PWD/copy.so:$library"; do
        preloaded() { LD_PRELOAD=$order exec "$limited"; }
        traced preloaded
        expect_status 0
        expect_equal "output" "result 0" "$(cat out)"
        expect_equal "stderr" "" "$(cat err)"
        report --dump trace.bin
        expect_equal "allocations" "100" "$(allocations_of 1000)"
        rm trace.bin
        expect_equal "traces" "" "$(ls ./*.bin 2>/dev/null)"
    done
done
