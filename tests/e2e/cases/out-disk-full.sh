# Given a file system that fills up while a program runs, when it is traced, then the program does what it always does,
# what was stored is reported, and the report says how many events were lost.
sim_only
mkdir full
mount -t tmpfs -o size=512k none full 2>/dev/null || skip "mounting a small file system is not allowed here"
trap 'umount full' EXIT
plain "$programs/threads" async 20000
mv out plain.out
MEMTRACE_OUT=$PWD/full/trace.bin traced "$programs/threads" async 20000
expect_status 0
expect_same <(grep allocated plain.out) <(grep allocated out)
[ "$(wc -l <err)" -le 1 ] || fail "more than one line on stderr"
report --summary full/trace.bin
expect_match report.txt "lost"
