# Given code without unwind tables, when a call stack leads through it, then it ends there: no outer caller is guessed. A
# stack beside it is whole.
sim_only
for MEMTRACE_FEED in hooks cupti; do
    export MEMTRACE_FEED
    traced "$O/tests/e2e/faults/no-tables"
    expect_status 0
    report --summary trace.bin
    expect_match report.txt '^  call stacks +unwind tables; some stacks end early, at code without$'
    report --dump trace.bin
    inner='\| no-tables\.c:[0-9]+ pair'
    expect_equal "with a frame" 4 "$(grep -cE " allocated .* bytes=1000 .*$inner < [^<]* with_frame\$" report.txt)"
    expect_equal "without" 4 "$(grep -cE " allocated .* bytes=2000 .*$inner < [^<]* without_frame\$" report.txt)"
    expect_equal "made at run time" 4 "$(grep -cE " allocated .* bytes=3000 .*$inner < [^<]*\$" report.txt)"
    expect_equal "beside it" 4 "$(grep -cE " allocated .* bytes=4000 .*$inner < no-tables\.c:[0-9]+ main < .* _start\$" report.txt)"
done
