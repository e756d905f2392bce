# Given managed memory that is prefetched to the device and back, then --hidden names the lines that allocated it, no
# stream is said to have taken it, and the memory in use at the peak of allocations has it.
traced "$O/tests/e2e/faults/managed-blame"
expect_status 0
report --hidden trace.bin
expect_status 0
expect_no_match report.txt '^ +-[0-9]|disagreement'
expect_match report.txt '^ +536,870,912 +512\.0 MiB .* managed-blame\.c:42 main: cuMemAllocManaged$'
expect_equal "rows of streams above 16 MiB" 0 "$(awk '/cuStreamCreate$/ { gsub(",", "", $1); if ($1 + 0 > 16 * 2^20) n++ } END { print n + 0 }' report.txt)"
# At the end one of them is freed. What of the other is still on the device, a real driver decides.
sed -n '/in use at exit/,$p' report.txt >exit.txt
[ "$DEVICE" = gpu ] || expect_match exit.txt '^ +67,108,864 +64\.0 MiB .* managed-blame\.c:47 main: cuMemAllocManaged$'
expect_no_match exit.txt 'managed-blame\.c:42'

report --peak trace.bin
in_use=$(sed -n '/^Device 0/,/^$/s/^ *Device memory in use at that moment: \([0-9,]*\) bytes.*/\1/p' report.txt | tr -d ,)
[ "${in_use:-0}" -gt $(((512 + 64 + 16) << 20)) ] || fail "in use at the peak: '$in_use'"
