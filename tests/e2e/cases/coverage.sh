# Given a program that makes every kind of allocation of the runtime, when both feeds watch it, then --coverage counts
# its calls and their bytes, lists what it never called and what is left out on purpose, and both feeds saw the same.
sim_only
MEMTRACE_FEED=both traced "$programs/kinds"
expect_status 7
report --coverage trace.bin
expect_status 0
expect_match report.txt '^Recorded through both \(cupti recorded\); 0 calls were seen by CUPTI only, 0 by the hooks only\.$'

sed -n '/^  entry point/,/^$/p' report.txt | awk 'NR > 1 && NF { print $1, $2, $(NF - 2), $(NF - 1), $NF }' >seen
expect_same - seen <<'END'
cuMemAlloc_v2 allocated 3 1 3,075,072
cuMemAllocPitch_v2 allocated 1 0 30,720
cuMemAllocManaged allocated 1 0 413,696
cuMemFree_v2 freed 3 1 2,463,744
cuMemAllocAsync allocated 1 0 723,968
cuMemAllocFromPoolAsync allocated 1 0 827,392
cuMemFreeAsync freed 1 0 827,392
cuMemHostAlloc allocated 2 0 1,137,664
cuMemFreeHost freed 1 0 620,544
cuMemHostRegister_v2 allocated 1 0 65,536
cuMemHostUnregister freed 1 0 65,536
cuDevicePrimaryCtxRetain context-created 1 0 0
cuStreamCreate sampled 1 0 0
END

expect_match report.txt '^  cuMemCreate +allocated +physical$'
expect_match report.txt '^  cuGraphLaunch +graph +graph$'
expect_match report.txt '^  cuEventCreate\* +an event is a few bytes of a context.s own block$'
