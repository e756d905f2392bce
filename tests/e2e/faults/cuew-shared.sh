# Given global variables with the driver's names in a shared library – linked, copied into the executable, or loaded at
# run time –, then they are the program's: empty at first, filled by it, and called through.
names=$O/tests/e2e/faults/names

for MEMTRACE_FEED in auto hooks cupti; do
    export MEMTRACE_FEED
    for program in "use_pointers" "use_pointers_fixed" "open_pointers $names/libpointers.so"; do
        traced $names/$program
        expect_status 0
        expect_equal "output" "result 0" "$(cat out)"
        report --dump trace.bin
        expect_equal "allocations of $program" "1 1" "$(allocations_of 1000000) $(allocations_of 2000000)"
        rm trace.bin
    done
done
