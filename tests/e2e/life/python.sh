# Given a Python process that uses the device, and its children by subprocess and multiprocessing (spawn, forkserver),
# then each process that allocates has a trace with its own allocation, and helper processes have none.
source "$e2e/coverage/ledger.bash"
command -v python3 >/dev/null || skip "no python3"

for how in subprocess spawn forkserver; do
    rm -f trace.*
    MEMTRACE_OUT=$PWD/trace.%p.bin traced python3 "$e2e/life/device.py" $how
    expect_status 0
    for trace in trace.*; do changes_of "$trace"; done | sort >found
    printf '+ %d device cuMemAlloc_v2\n' 1048576 2097152 3145728 >expected
    expect_same expected found
done
