# Given the training sample, when it is traced, then launches have no call stack; with MEMTRACE_LAUNCH_STACKS=1 each has.
traced "$O/samples/train" --layers 64,64,1 --steps 1
report --dump trace.bin
grep ' launched ' report.txt >launched.txt
expect_equal "launches with a stack" 0 "$(grep -c ' | ' launched.txt)"
launches=$(wc -l <launched.txt)
MEMTRACE_LAUNCH_STACKS=1 traced "$O/samples/train" --layers 64,64,1 --steps 1
report --dump trace.bin
grep ' launched ' report.txt >launched.txt
expect_equal "launches with a stack" "$launches" "$(grep -c ' | .*\.cu:[0-9]' launched.txt)"
