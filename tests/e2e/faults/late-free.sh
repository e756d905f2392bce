# Given a static object that frees its memory after the driver has shut down, then --errors has the call, its line and its
# result, and --live says that this memory was freed too late. CUPTI shows no calls by then; the hooks do.
export MEMTRACE_FEED=hooks
traced "$O/tests/e2e/faults/late-free"
expect_status 0
expect_equal "the driver's answer" "late 4" "$(cat out)"
report --errors trace.bin
expect_status 0
expect_equal "failed calls" 1 "$(sed -n 's/^Failed calls: //p' report.txt)"
expect_match report.txt '^  cuMemFree of 0x[0-9a-f]+: CUDA_ERROR_DEINITIALIZED \(4\), '
expect_match report.txt '^    at late-free\.cpp:13 .*Pool'
expect_match report.txt '^    freed too late, after the driver had shut down: 10,485,760 bytes .* at late-free\.cpp:[0-9]+ main$'
report --live trace.bin
expect_match report.txt '^  Of these, 10,485,760 bytes \(10\.0 MiB\) in 1 allocation were freed too late'
