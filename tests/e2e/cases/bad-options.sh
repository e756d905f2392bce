# Given option values that mean nothing, when the report is asked for, then one message names the value, nothing is
# printed to stdout, and the exit code is 1.
sim_only
traced "$programs/kinds"

bad() {
    local named=$1
    shift
    report "$@"
    expect_status 1
    expect_equal "stdout of $*" "" "$(cat report.txt)"
    expect_match report.err "memtrace-report: .*$named"
    [ "$(wc -l <report.err)" -le 3 ] || fail "$*: more than the message and a hint"
}

bad by --by=colour trace.bin
bad units --units=furlongs trace.bin
bad top --top=many trace.bin
bad top --top=-3 trace.bin
bad device --device=first trace.bin
bad "trace.bin: device 7 does not occur in this trace" --device=7 trace.bin
bad no-such-option --no-such-option trace.bin
bad "" # no file at all

# A pattern that matches nothing is told of, and the report goes on without it.
report --user-code '*/kinsd.c' trace.bin
expect_status 0
expect_match report.err "^memtrace-report: trace.bin: no file or module of its call stacks matches --user-code '\*/kinsd.c'$"
report --user-code '*/kinds.c' trace.bin
expect_lines report.err 0
