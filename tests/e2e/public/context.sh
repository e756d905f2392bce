# pytorch#28113, #28394: nothing is allocated and hundreds of MiB are in use: the context and the code that is loaded at
# a kernel's first launch have rows of their own, and nothing is left unexplained.
source "$e2e/coverage/ledger.bash"
export SIMCUDA_HIDDEN_MODULE=90MiB
traced "$public/lazy"
expect_status 0
expect_equal "ledger" "" "$(changes_of trace.bin)"

report --hidden trace.bin
expect_status 0
expect_match report.txt ' driver\.c:[0-9]+ driver_open: context, by cuDevicePrimaryCtxRetain$'
expect_match report.txt ' 0 B .* traced: allocations$'
if [ "$DEVICE" = sim ]; then
    expect_match out '^fact used 659357696$'
    expect_match report.txt ' 564,985,856 .* context, by cuDevicePrimaryCtxRetain$'
    expect_match report.txt ' 94,371,840 .* lazy\.c:[0-9]+ main: first launch of nothing$'
    expect_match report.txt ' 0 B .* unexplained$'
    expect_match report.txt ' 659,357,696 .* in use$'
fi

# Local memory for all threads that can run at once comes with the first launch of the kernel that needs it.
rm -f trace.bin
traced "$coverage/launches" local-memory
expect_status 0
report --hidden trace.bin
expect_match report.txt ' launches\.c:[0-9]+ local_memory: first launch of spills$'
[ "$DEVICE" = gpu ] || expect_match report.txt ' 0 B .* unexplained$'
