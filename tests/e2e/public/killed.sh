# memray#708: after SIGKILL everything up to the kill can be read.
source "$e2e/coverage/ledger.bash"
traced "$life/ends" kill
expect_status 137
expect_equal "trace" "+ 5242880 device cuMemAlloc_v2" "$(changes_of trace.bin)"
report --live trace.bin
expect_status 0
expect_match report.txt 'ends\.c:[0-9]+'
