# Given calls that fail for what else is in memory, then --errors names the line that put it there.
traced "$O/tests/e2e/faults/errors-wrong-reason"
expect_status 0
expect_equal "the first two are refused" "712 712" "$(head -n 2 out | paste -sd ' ')"
report --errors trace.bin
expect_status 0
expect_equal "reasons" 2 "$(grep -cE '^    pinned already, in part or whole: 1,048,576 bytes .* errors-wrong-reason\.c:29 main$' report.txt)"
expect_match report.txt '^  cuMemHostRegister of 65,536 bytes .* at 0x[0-9a-f]+: '
expect_no_match report.txt 'device memory in use'
[ "$(tail -n 1 out)" = 0 ] || # a driver may allow it
    expect_match report.txt '^    another kind of memory, managed: 65,536 bytes .* errors-wrong-reason\.c:35 main$'
