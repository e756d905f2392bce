# E7: given 200 steps that keep each loss and with it all that its forward made, when they are traced, then the report
# names the lines that keep, says by how much each step grows, and finds 200 MiB live at the end; with loss.item()
# nothing grows and nothing is left.
[ "$DEVICE" = gpu ] || export SIMCUDA_KERNELS=off
forward_only="--layers 1024,1024,1 --batch 256 --steps 200 --optimizer none --ledger"
traced "$samples/train" $forward_only --keep-loss
expect_status 0
report --dump trace.bin
expect_ledger_is_dump
report --live trace.bin
expect_match report.txt '209,920,804 bytes \(200\.2 MiB\) in 601 allocations live at exit'
expect_match report.txt '^ +209,715,200 +200\.0 MiB +99\.9 % +200 +train\.cu:[0-9]+ relu$'
golden e07-live
report --lines trace.bin
expect_match report.txt '^grew from .*: 1,049,604 bytes each time$'
golden e07-lines

traced "$samples/train" $forward_only
expect_status 0
report --dump trace.bin
expect_ledger_is_dump
report --lines trace.bin
expect_no_match report.txt '^grew'
golden e07-item-lines
