# Given a pool whose mutex is held around the driver's calls, and a plug-in whose initialiser takes from it while dlopen
# holds the loader's lock, then the program ends as it does untraced: no event waits for the loader. And its events are
# there, those of the initialiser with its name.
loader=$O/tests/e2e/faults/loader

plain timeout 30 "$loader/pool" "$loader/initialiser.so"
expect_status 0
for MEMTRACE_FEED in auto hooks cupti both; do
    export MEMTRACE_FEED
    traced timeout 30 "$loader/pool" "$loader/initialiser.so"
    expect_status 0
    expect_equal "output" "done" "$(cat out)"
    report --dump trace.bin
    expect_equal "allocations on new stacks" 1024 "$(allocations_of 100)"
    expect_equal "allocations while others load" 11 "$(allocations_of 6000)"
    expect_equal "stacks through the initialiser" 10 \
        "$(grep ' bytes=6000' report.txt | grep -c ' initialiser.c:[0-9]* begin < ')"
    report --summary trace.bin
    expect_match report.txt '^  lost events +0$'
    rm trace.bin
done
