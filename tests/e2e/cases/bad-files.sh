# Given what is not a trace, when it is reported, then one line says what it is instead, and the exit code is 2.
sim_only

bad() {
    report "$1"
    expect_status 2
    expect_equal "stdout for $1" "" "$(cat report.txt)"
    expect_lines report.err 1
    expect_match report.err "^memtrace-report: .*$1.*$2"
}

bad absent.bin "No such file"
mkdir folder.bin
bad folder.bin "[Dd]irectory"
: >empty.bin
bad empty.bin "empty"
echo "GPU memory is full, and nobody knows why" >text.bin
bad text.bin "not a memtrace"
head -c 100000 /dev/zero >zeros.bin
bad zeros.bin "not a memtrace"
printf 'MEMTRACE' >stub.bin
bad stub.bin "truncated|header|cut|short"

# A version of the future: bytes 8 to 11 of the header.
traced "$programs/kinds"
cp trace.bin future.bin
printf '\x2a\0\0\0' | dd of=future.bin bs=1 seek=8 conv=notrunc status=none
bad future.bin "version 42"

# Of several traces and what is wrong with each, the exit code tells the worst, in whatever order they come.
for files in "absent.bin trace.bin" "trace.bin absent.bin"; do
    # shellcheck disable=SC2086 # words
    report --device 9 $files
    expect_status 2
    expect_lines report.err 2
done
