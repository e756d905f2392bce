# Given the samples, when they run untraced, then their own ledgers hold the numbers of experiments E1 to E10.
plain "$source_root/samples/test-ledger.sh" "$samples"
cat out
expect_status 0
expect_match out '^[1-9][0-9]* passed, 0 failed$'
