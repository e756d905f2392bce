# Given MEMTRACE_OUT in a folder that cannot be written, when a program runs, then one line says so and the program
# does what it always does.
sim_only
plain "$programs/kinds"
mv out plain.out
mkdir full
if [ "$(id -u)" = 0 ]; then
    mount -t tmpfs -o ro,size=4k none full 2>/dev/null || skip "root writes everywhere, and mounting is not allowed"
    trap 'umount full' EXIT
else
    chmod a-w full
fi
MEMTRACE_OUT=$PWD/full/trace.bin traced "$programs/kinds"
expect_status 7
expect_same plain.out out
expect_lines err 1
expect_match err "^memtrace: .*full/trace.bin.*(Read-only|Permission denied)"
expect_no_file full/trace.bin
