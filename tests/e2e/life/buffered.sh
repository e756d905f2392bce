# Given a file system on which nothing can be reserved, then nothing of the trace is mapped, and still a program that ends
# leaves the same report, one that is killed leaves nothing that never happened, and a full disk is a counted loss.
sim_only
life=$O/tests/e2e/life
poorly() {
    exec "$life/poor" "$@"
}

traced poorly "$programs/kinds"
[ "$status" != 77 ] || skip "no system calls can be refused here"
expect_status 7
report trace.bin
"$e2e/normalise.sh" <report.txt >buffered.txt
report --summary trace.bin
expect_match report.txt '^  storage +buffered, as the file could not be reserved and mapped$'
rm trace.bin
traced "$programs/kinds"
report trace.bin
"$e2e/normalise.sh" <report.txt >mapped.txt
expect_same mapped.txt buffered.txt
rm trace.bin

# Each thread's allocations differ in size from the others', so they tell how much of each is there. The first one, which
# kills, has filled more than a chunk by then; the others may hardly have begun.
traced poorly "$programs/killed" 10000 progress
expect_status 137
report --dump trace.bin
expect_status 2
expect_match report.txt '^# Incomplete: the process was killed, or still runs: what was not yet written out is missing$'
expect_equal "damage" "" "$(cat report.err)"
mapfile -t finished < <(od -An -v -t u8 -w8 progress | xargs -n 1)
for thread in 0 1 2 3; do
    allocated=$(allocations_of $(((thread + 1) * 4096)))
    [ "$thread" != 0 ] || [ "$allocated" -gt 1000 ] || fail "$allocated allocations of the first thread"
    [ "$allocated" -le $((finished[thread] + 1)) ] ||
        fail "thread $thread finished ${finished[thread]} pairs; the trace holds $allocated allocations"
done
report --summary trace.bin
expect_match report.txt '^  storage +buffered.* what was not yet written out is missing$'

mkdir full
mount -t tmpfs -o size=512k none full 2>/dev/null || exit 0
trap 'umount full' EXIT
plain "$programs/threads" async 20000
mv out plain.out
MEMTRACE_OUT=$PWD/full/trace.bin traced poorly "$programs/threads" async 20000
expect_status 0
expect_same <(grep allocated plain.out) <(grep allocated out)
expect_lines err 1
expect_match err '^memtrace: .*/full/trace.bin: No space left on device: events are being lost'
report --summary full/trace.bin
expect_match report.txt '^  storage +buffered'
expect_match report.txt '^  lost events +[1-9][0-9]*: No space left on device$'
