# Given a file system that fills up while a program runs, when it is traced, then the program does what it always does,
# one line says that events are lost, what was stored is reported, and the report says how many events were lost.
sim_only
mkdir full
mount -t tmpfs -o size=512k none full 2>/dev/null || skip "mounting a small file system is not allowed here"
trap 'umount full' EXIT
plain "$programs/threads" async 20000
mv out plain.out
MEMTRACE_OUT=$PWD/full/trace.bin traced "$programs/threads" async 20000
expect_status 0
expect_same <(grep allocated plain.out) <(grep allocated out)
expect_lines err 1
expect_match err '^memtrace: .*/full/trace.bin: No space left on device: events are being lost'
report --summary full/trace.bin
expect_match report.txt "lost"
# Whatever view is asked for: its totals are without what was lost, which is said ahead of them.
for view in lines peak kinds live source summary errors hidden pools coverage ledger dump; do
    report --$view full/trace.bin
    expect_equal "exit code of --$view" 2 "$status"
    expect_match <(head -n 1 report.txt) '^(# )?Incomplete: [0-9,]+ events lost, and totals without them: No space left on device$'
done
