# cufinufft#74: a plan's buffer that is never freed is live at exit, three times, with the line that allocates it.
source "$e2e/coverage/ledger.bash"
traced "$public/plan"
expect_status 0
report --live trace.bin
expect_status 0
line=$(grep -n 'the line that the report must name' "$e2e/public/plan.c" | cut -d: -f1)
expect_match report.txt " 3,145,728 .* 3  plan\.c:$line plan_create\$"
expect_match report.txt ' 3,145,728 .* total$'
expect_equal "live" 3 "$(changes_of trace.bin | grep -c '^+ 1048576 ')"
