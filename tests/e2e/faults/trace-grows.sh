# Given a trace that would grow beyond MEMTRACE_MAX_SIZE, then recording stops there, the program goes on as it does
# untraced, one line says it, and the summary counts the lost events; without a limit of its own a trace has one by the
# free room.
sim_only
plain "$programs/threads" async 20000
mv out plain.out

# grown BYTES SIZE [ARGUMENT...]: at most BYTES are written with MEMTRACE_MAX_SIZE=SIZE.
grown() {
    rm -f trace.bin*
    MEMTRACE_MAX_SIZE=$2 traced "$programs/threads" async 20000
    expect_status 0
    expect_same <(grep allocated plain.out) <(grep allocated out)
    expect_lines err 1
    expect_match err "^memtrace: .*/trace.bin has reached its limit of $1 bytes \(MEMTRACE_MAX_SIZE\): recording has stopped\$"
    [ "$(stat -c %s trace.bin)" -le "$1" ] || fail "the trace has $(stat -c %s trace.bin) bytes, of $1"
    report --summary trace.bin
    expect_match report.txt '^  lost events +[1-9][0-9]*: .*MEMTRACE_MAX_SIZE'
    stored=$(sed -n 's/^  events  *\([0-9,]*\).*/\1/p' report.txt | tr -d ,)
    lost=$(sed -n 's/^  lost events  *\([0-9]*\).*/\1/p' report.txt)
    [ $((stored + lost)) -ge 320000 ] || fail "$stored events and $lost lost ones, of 320000"
}

grown 1048576 1M
report --dump trace.bin
[ "$(grep -c ' allocated ' report.txt)" -ge 1000 ] || fail "hardly anything was recorded"
grown 409600 400K
report --summary trace.bin
expect_match report.txt '^  trace +finished, by exit$' # there is room for what is said at the end
# However much else is to be said.
MEMTRACE_MAX_SIZE=1M traced env MEMTRACE_{A,B,C,D,E,F,G,H,I}=1 "$programs/threads" async 20000
expect_lines err 9
expect_match <(tail -n 1 err) "has reached its limit of 1048576 bytes"
rm -f trace.bin*
MEMTRACE_MAX_SIZE=off traced "$programs/threads" async 20000
expect_lines err 0
report --summary trace.bin
expect_match report.txt '^  lost events +0$'

# Without room for even one event the line still names the file as it will be found.
rm -f trace.bin*
MEMTRACE_MAX_SIZE=1K traced "$programs/threads" async 20
expect_lines err 1
expect_match err '^memtrace: .*/trace.bin has reached its limit of 1024 bytes'
expect_equal "traces" "trace.bin" "$(echo trace*.bin*)"
