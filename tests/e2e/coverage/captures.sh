# However a capture ends, device memory is looked at again afterwards, and never before.
source "$e2e/coverage/ledger.bash"

check_looks() {
    for MEMTRACE_FEED in "${feeds[@]}"; do
        export MEMTRACE_FEED
        run_row captures "$1" || return 0
        report --dump trace.bin
        expect_equal "$1 ($MEMTRACE_FEED): looks after its capture" 1 \
            "$(awk '$3 == "sampled" && $4 == "cuStreamCreateWithPriority"' report.txt | wc -l)"
    done
}

for how in stream-destroyed context-destroyed device-reset released invalidated ended-elsewhere; do
    each check_looks $how
done
