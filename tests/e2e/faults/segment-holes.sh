# Given a program with holes between its segments, then its stacks have all their callers.
sim_only
traced "$O/tests/e2e/faults/segment-holes"
expect_status 0
report --dump trace.bin
expect_status 0
expect_match report.txt 'allocated cuMemAlloc_v2 .* segment-holes\.c:[0-9]+ exchange < segment-holes\.c:[0-9]+ main <'
