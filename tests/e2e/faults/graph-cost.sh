# Given a program that makes graphs, when CUPTI is attached, then it is told once what that costs; the hooks cost it
# nothing, and say nothing.
graphs=$O/tests/e2e/coverage/graphs
line='^memtrace: CUPTI makes each launch of a graph slower while it is attached, by 0\.2 to 0\.4 us for each node on an H200; '
said() { # FEED REST
    export MEMTRACE_FEED=$1
    traced "$graphs" launched
    expect_status 0
    expect_equal "$1, $attach: lines on stderr" 1 "$(wc -l <err)"
    expect_match err "$line$2\$"
}
said cupti 'MEMTRACE_FEED=hooks does not'
said both 'MEMTRACE_FEED=hooks does not'
for MEMTRACE_FEED in auto hooks; do
    export MEMTRACE_FEED
    traced "$graphs" launched
    expect_equal "$MEMTRACE_FEED: stderr" "" "$(cat err)"
done
MEMTRACE_FEED=cupti traced "$O/tests/e2e/faults/pairs"
expect_equal "no graph: stderr" "" "$(cat err)"
attach=injection
said auto 'LD_PRELOAD does not'
