# Given a trace that another program empties, cuts short, overwrites or rotates away while eight threads write it, then
# the program does what it does untraced, its own handler of SIGBUS gets its own bus errors alone, one line says that
# recording has stopped, and the summary counts the lost events.
sim_only
program=$O/tests/e2e/faults/trace-cut

# cut HANDLER STATUS COMMAND: the command finds the trace in $t.
cut() {
    export t=$PWD/trace.bin
    rm -f trace.bin* # the untraced run's command finds a file there, too
    head -c 300000 /dev/zero >trace.bin
    plain "$program" "$1" "$3" pairs
    expect_status "$2"
    mv out plain.out
    rm -f trace.bin*
    traced "$program" "$1" "$3" pairs
    expect_status "$2"
    expect_same plain.out out
    expect_lines err 1
    expect_match err "^memtrace: $t was cut or overwritten by another program: recording has stopped\$"
}

# lost AT_LEAST
lost() {
    local events
    report --summary trace.bin
    events=$(sed -n 's/^  lost events  *\([0-9]*\).*/\1/p' report.txt)
    [ "${events:-0}" -ge "$1" ] || fail "lost events: '$events', expected $1 or more"
    expect_match report.txt '^  lost events  *[0-9]+: .*cut or overwritten by another program'
}

for handler in before after signal blocked; do
    cut $handler 0 ': >"$t"'
    lost $((2 * $(cat pairs)))
done
cut default 135 ': >"$t"'

cut before 0 'cp "$t" "$t.1" && : >"$t"' # copytruncate
lost $((2 * $(cat pairs)))
report --dump trace.bin.1
[ "$(allocations_of 4096)" -ge 1000 ] || fail "the copy has $(allocations_of 4096) allocations"
cut before 0 'truncate -s 200000 "$t"' # the header and some chunks are left
lost 40000
cut before 0 ': >"$t"; truncate -s 100M "$t"' # grown again
lost $((2 * $(cat pairs)))

# Removed: there is nothing to report, which is said; a new file of the name is nobody's trace.
for after in : 'seq 10 >"$t"'; do
    rm -f trace.bin*
    t=$PWD/trace.bin traced "$program" before "rm \"\$t\"; $after" pairs
    expect_status 0
    expect_same plain.out out
    expect_lines err 1
    expect_match err "^memtrace: .*/trace.bin was removed by another program: what was recorded is gone\$"
done
expect_same <(seq 10) trace.bin

# What has become another's file stays as it is, but for the record that a thread was storing at that very moment: there
# are 8 of them, and a record has at most 64 bytes.
seq 500000 >notes
for bytes in 100 2000000; do
    head -c $bytes notes >part
    cut before 0 'cp part "$t"'
    expect_equal "size" "$(stat -c %s part)" "$(stat -c %s trace.bin)"
    differing=$(cmp -l part trace.bin | wc -l)
    [ "$differing" -le $((8 * 64)) ] || fail "$differing bytes of another's file were overwritten"
done
