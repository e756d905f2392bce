# Given a program with a stderr that a write kills by (a pipe that nobody reads any more, a file at its size limit), when
# it cannot be traced, which a line on stderr should say, then the program does what it always does.
sim_only
export MEMTRACE_OUT=$PWD/absent/trace.bin
unread() {
    exec 4> >(:)
    wait $!
    exec "$programs/kinds" 2>&4
}
traced unread
expect_status 7
limited() {
    ulimit -f 0
    exec "$programs/kinds" >/dev/null
}
traced limited
expect_status 7
expect_equal "stderr" "" "$(cat err)"
