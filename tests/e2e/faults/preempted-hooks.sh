# Given programs and preloaded libraries that have functions or variables of the driver's names themselves, then they run
# as untraced in each feed, and what reaches the driver is in the trace once.
names=$O/tests/e2e/faults/names

for MEMTRACE_FEED in auto hooks cupti both; do
    export MEMTRACE_FEED
    for program in functions pointers; do
        traced "$names/$program"
        expect_status 0
        expect_equal "output" "result 0" "$(cat out)"
        report --dump trace.bin
        expect_equal "allocations of $program" "1 1" "$(allocations_of 1000000) $(allocations_of 2000000)"
        rm trace.bin
    done

    for limiter in limiter limiter_behind; do
        LD_PRELOAD=$names/$limiter.so plain "$names/limited"
        # A real runtime finds the function past it, and leaves it the call by name alone.
        limited=$(cat err)
        [ "$DEVICE" = gpu ] || expect_equal "limiter" "limiter: 101 calls" "$limited"
        for order in "$names/$limiter.so:$library" "$library:$names/$limiter.so"; do
            preloaded() { LD_PRELOAD=$order exec "$names/limited"; }
            traced preloaded
            expect_status 0
            expect_equal "output" "result 0" "$(cat out)"
            expect_equal "limiter, $order" "$limited" "$(cat err)"
            report --dump trace.bin
            expect_equal "allocations, $order" "100 1" "$(allocations_of 1000) $(allocations_of 777)"
            rm trace.bin
        done
    done
done
