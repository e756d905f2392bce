# cufinufft#74: a plan's buffer that is never freed is live at exit, three times, with the line that allocates it.
source "$e2e/coverage/ledger.bash"
traced "$public/plan"
expect_status 0
report --live trace.bin
expect_status 0
expect_match report.txt 'plan\.c:18'
expect_no_match report.txt 'plan\.c:17'
expect_equal "live" 3 "$(changes_of trace.bin | grep -c '^+ 1048576 ')"
