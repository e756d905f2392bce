# Given two processes at the same time with one MEMTRACE_OUT, then each has a trace of its own and both are whole; a
# later one moves a finished trace aside.
source "$e2e/coverage/ledger.bash"

both() {
    "$life/children" work &
    "$life/children" work
    wait $!
}
traced both
expect_status 0
expect_equal "traces" 2 "$(ls trace* | wc -l)"
for trace in trace*; do
    expect_equal "$trace" "+ 3145728 device cuMemAlloc_v2" "$(changes_of "$trace")"
done

rm -f trace*
traced "$life/children" work
traced "$life/ends" return
expect_equal "the later one" "+ 5242880 device cuMemAlloc_v2" "$(changes_of trace.bin)"
expect_equal "the one before" "+ 3145728 device cuMemAlloc_v2" "$(changes_of trace.bin.old)"
