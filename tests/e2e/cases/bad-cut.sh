# Given a small trace cut at every byte that carries something, when it is reported, then the exit code is 2 and stderr
# holds one clear line; what was readable is reported.
sim_only
traced "$programs/kinds"
expect_status 7
report --live trace.bin
expect_status 0
full=$(stat -c %s trace.bin)
cp trace.bin cut.bin

# From the end backwards, so that truncate alone makes each next cut.
for ((bytes = full - 1; bytes >= 0; bytes--)); do
    # The header ends at 128 and is padded with zeros to 4096: one cut in 64 is enough in there.
    ((bytes < 128 || bytes >= 4096 || bytes % 64 == 0)) || continue
    truncate -s $bytes cut.bin
    report --live cut.bin
    [ $status = 2 ] || fail "cut at $bytes of $full: exit code $status, expected 2"
    [ "$(wc -l <report.err)" = 1 ] || fail "cut at $bytes of $full: not one line on stderr"
done
