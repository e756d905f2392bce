# pytorch#28113, #28394: nothing is allocated and the device is in use: the context has a row of its own.
source "$e2e/coverage/ledger.bash"
traced "$public/lazy"
expect_status 0
expect_equal "ledger" "" "$(changes_of trace.bin)"
report --summary trace.bin
expect_status 0
