# Given pools that are destroyed while blocks of them are out, then --hidden counts the pools' memory until the last block
# is freed, no stream is said to have taken it, and no figure is below zero.
traced "$O/tests/e2e/faults/pool-destroyed-with-blocks"
expect_status 0
report --hidden trace.bin
expect_status 0
expect_no_match report.txt '^ +-[0-9]|disagreement'
# At most: the three pools' blocks.
expect_match report.txt '^ +1,677,721,600 +1\.56 GiB .* 3    handed out$'
expect_equal "taken by streams, MiB" 0 "$(awk '/cuStreamCreate$/ { gsub(",", "", $1); if ($1 + 0 > 64 * 2^20) n++ } END { print n + 0 }' report.txt)"
expect_equal "unexplained" "0 0" "$(awk '/unexplained$/ { print $1 }' report.txt | paste -sd ' ')"
