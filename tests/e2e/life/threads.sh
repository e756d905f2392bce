# Given 4000 threads, 16 at a time, each of which allocates and frees 4096 bytes and ends, then every pair is in the
# trace, nothing is live, and the trace is as small as the few threads that live at once make it.
source "$e2e/coverage/ledger.bash"
traced "$life/threads" 4000
expect_status 0
changes_of trace.bin >ledger
expect_equal "allocations" 4000 "$(grep -c '^+ 4096 device cuMemAlloc_v2$' ledger)"
expect_equal "frees" 4000 "$(grep -c '^- 4096 device cuMemFree_v2$' ledger)"
expect_equal "anything else" 0 "$(grep -cv ' 4096 device ' ledger)"
size=$(stat -c %s trace.bin)
[ "$size" -lt $((4 << 20)) ] || fail "the trace takes $size bytes"
