# Given a program that makes every kind of allocation once, when it is traced, then each appears with its bytes, its
# ledger and the line that asked for it; what it kept is live, and its two failed calls are listed.
traced "$programs/kinds"
expect_status 7
report --lines trace.bin
golden kinds-lines
report --live trace.bin
golden kinds-live
report --peak --by function trace.bin
golden kinds-peak
report --summary trace.bin
golden kinds-summary
