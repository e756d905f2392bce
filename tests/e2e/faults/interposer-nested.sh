# Calls that another interposer makes within a call are calls of their own, and the outer one is recorded once, whatever
# it found its functions by. Where it goes on by RTLD_NEXT the hooks see what the program asked for; CUPTI sees what
# reaches the driver.
# events INTERPOSER FIND FEED: what the trace has, COUNT EFFECT BYTES FUNCTION, in one line.
events() {
    interposed() {
        export INTERPOSER=$1 INTERPOSER_FIND=$2 MEMTRACE_FEED=$3 LD_PRELOAD=$LD_PRELOAD:$O/tests/e2e/faults/interposer.so
        exec "$O/tests/e2e/faults/pairs"
    }
    traced interposed "$@"
    expect_status 0
    expect_equal "$*: stderr" "" "$(cat err)"
    report --dump trace.bin
    awk '$3 ~ /^(allocated|freed|failed)$/ {
        bytes = match($0, / bytes=[0-9]+/) ? substr($0, RSTART + 7, RLENGTH - 7) : "-"
        count[$3 " " bytes " " $4]++
    }
    END { for (key in count) print count[key], key }' report.txt | LC_ALL=C sort | paste -sd, -
}

# same INTERPOSER FIND EXPECTED: through each feed.
same() {
    for feed in hooks cupti both; do expect_equal "$1 $2 $feed" "$3" "$(events "$1" "$2" $feed)"; done
}

frees="5 freed - cuMemFree_v2"
pairs="5 allocated 1000 cuMemAlloc_v2,$frees"
for find in next handle; do
    same wait $find "$pairs"
    same evict $find "4 freed - cuMemFreeHost,5 allocated 1000 cuMemAlloc_v2,5 allocated 64 cuMemAllocHost_v2,$frees"
done
same twice handle "5 allocated 1000 cuMemAlloc_v2,5 allocated 512 cuMemAlloc_v2,$frees"
same retry handle "5 allocated 1000 cuMemAlloc_v2,5 failed 1152921504606846976 cuMemAlloc_v2,$frees"
same managed handle "5 allocated 1000 cuMemAllocManaged,$frees"
for mode in twice retry managed; do expect_equal "$mode next" "$pairs" "$(events $mode next hooks)"; done

# An interposer that keeps blocks hands out memory that no call of the driver gave: the hooks tell of it, CUPTI cannot.
for find in next handle; do
    expect_equal "cache $find hooks" "$pairs" "$(events cache $find hooks)"
    for feed in cupti both; do
        expect_equal "cache $find $feed" "1 allocated 1000 cuMemAlloc_v2" "$(events cache $find $feed)"
    done
done

# What only one of them saw is counted, call by call.
events twice next both >twice
report --coverage trace.bin
expect_match report.txt '; 5 calls were seen by CUPTI only, 0 by the hooks only\.$'
events cache next both >cache
report --coverage trace.bin
expect_match report.txt '; 0 calls were seen by CUPTI only, 9 by the hooks only\.$'
