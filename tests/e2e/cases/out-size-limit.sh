# Given a limit on file sizes (ulimit -f), which the system enforces with a deadly signal, when a program is traced into
# a file that would pass it, then the program does what it always does, and the report says that events were lost.
sim_only
plain "$programs/threads" async 20000
mv out plain.out
limited() {
    (ulimit -f 256 && exec "$programs/threads" async 20000)
}
traced limited
expect_status 0
expect_same <(grep allocated plain.out) <(grep allocated out)
expect_lines err 1
expect_match err '^memtrace: .*/trace.bin: File too large, .*: events are being lost'
report --summary trace.bin
expect_match report.txt "lost"
