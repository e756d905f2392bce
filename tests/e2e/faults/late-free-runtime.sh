# Given a static object that frees its memory after the shared CUDA runtime has shut down, then --errors has the calls,
# their lines and results, and --live says that this memory was freed too late. The program's own frees are untouched.
for MEMTRACE_FEED in hooks cupti; do
    export MEMTRACE_FEED
    traced "$O/tests/e2e/faults/late-free-runtime"
    expect_status 0
    expect_equal "the runtime's answer" "late 4 4" "$(cat out)"
    report --errors trace.bin
    expect_equal "failed calls" 2 "$(sed -n 's/^Failed calls: //p' report.txt)"
    expect_match report.txt '^  cudaFree of 0x[0-9a-f]+: cudaErrorCudartUnloading \(4\), '
    expect_match report.txt '^  cudaFreeHost of 0x[0-9a-f]+: cudaErrorCudartUnloading \(4\), '
    expect_match report.txt '^    at late-free-runtime\.cpp:12 .*Pool'
    expect_match report.txt '^    at late-free-runtime\.cpp:13 .*Pool'
    expect_match report.txt '^    freed too late, after the driver had shut down: 10,485,760 bytes .* at late-free-runtime\.cpp:[0-9]+ main$'
    report --live trace.bin
    expect_match report.txt '^  Of these, 10,485,760 bytes \(10\.0 MiB\) in 1 allocation were freed too late'
    rm trace.bin
done
