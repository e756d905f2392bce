# Given a small trace cut short, when it is reported, then the exit code is 2 and stderr holds one clear line. Cuts are at
# every third byte of the headers and every 97th of what the chunks hold; the unit test test_damage makes all of them.
sim_only
traced "$programs/kinds"
expect_status 7
report --ledger trace.bin
expect_status 0
full=$(stat -c %s trace.bin)
cp trace.bin cut.bin

cut_at() {
    truncate -s "$1" cut.bin
    report --ledger cut.bin
    [ $status = 2 ] || fail "cut at $1 of $full: exit code $status, expected 2"
    mapfile -t lines <report.err
    [ ${#lines[@]} = 1 ] || fail "cut at $1 of $full: not one line on stderr"
}

# From the end backwards, so that truncate alone makes each next cut.
for ((chunk = 4096 + (full - 4096) / 65536 * 65536; chunk >= 4096; chunk -= 65536)); do
    used=$(od -An -t u4 -j $((chunk + 16)) -N 4 trace.bin)
    end=$((chunk + 64 + used))
    ((end < full)) || end=$((full - 1))
    for ((bytes = end; bytes > chunk + 64; bytes -= 97)); do cut_at $bytes; done
    for ((bytes = chunk + 64; bytes >= chunk; bytes -= 3)); do cut_at $bytes; done
done
for ((bytes = 129; bytes >= 0; bytes -= 3)); do cut_at $bytes; done
