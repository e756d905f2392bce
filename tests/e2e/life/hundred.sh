# Given a hundred traced processes started at once with one MEMTRACE_OUT pattern, then there are a hundred whole traces.
sim_only
source "$e2e/coverage/ledger.bash"

crowd() {
    for _ in {1..100}; do
        "$life/children" work &
    done
    wait
}
MEMTRACE_OUT=$PWD/trace.%p.bin traced crowd
expect_status 0
expect_equal "stderr" "" "$(cat err)"
expect_equal "traces" 100 "$(ls trace.*.bin | wc -l)"
for trace in trace.*.bin; do
    expect_equal "$trace" "+ 3145728 device cuMemAlloc_v2" "$(changes_of "$trace")"
done
