# Given memory that a graph's launch allocates and the host, another graph or the next launch frees, then no free is of
# something unknown, --pools tells what graphs hold, and --errors tells of captured addresses and refused launches.
program=$O/tests/e2e/faults/graph-memory

traced "$program"
expect_status 0
report --summary trace.bin
expect_status 0
expect_no_match report.txt 'unknown frees|unseen frees|Failed calls'
report --pools trace.bin
expect_match report.txt ': memory of CUDA graphs when it first held most'
expect_match report.txt '^ +67,108,864 .* 1  allocated by launches, not freed yet$'
expect_match report.txt '^ +0 .* allocated by launches, not freed yet$'

rm trace.bin
traced "$program" early
expect_status 0
expect_equal "refused" "free 1 launch 1 free 1" "$(paste -sd ' ' out)"
report --errors trace.bin
expect_equal "failed calls" 3 "$(sed -n 's/^Failed calls: //p' report.txt)"
expect_no_match report.txt 'nothing was allocated there'
expect_match report.txt 'not launched yet: 4,194,304 bytes .* by cuMemAllocAsync at graph-memory\.c:82 captured$'
expect_match report.txt 'launch before allocated was not freed: 4,194,304 bytes .* at graph-memory\.c:82 captured$'
expect_match report.txt 'gone already: 4,194,304 bytes .* ended after .* by cuMemFree at graph-memory\.c:106 early$'
