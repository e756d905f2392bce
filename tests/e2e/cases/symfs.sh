# Given a program that is no longer where it was traced, then its functions are shown as offsets, and the report says
# so; with --symfs it is found in a folder, below its path or by its name, also when its debugging information is set
# apart; and a file of its name, but of another build, is refused.
sim_only
mkdir -p gone root
cp "$samples/train" gone/train
traced ./gone/train --steps 1
expect_status 0
report --peak trace.bin
cp report.txt expected.txt
expect_equal "messages" "" "$(cat report.err)"

mv gone/train root/train
report --peak trace.bin
expect_status 0
expect_no_match report.txt 'train\.cu:'
expect_match report.txt ' train\+0x[0-9a-f]+$'
expect_equal "messages" "memtrace-report: trace.bin: 1 file could not be used to name functions: --summary tells why" \
    "$(cat report.err)"
report --summary trace.bin
expect_match report.txt "^  note +$PWD/gone/train is not on this machine: its functions are shown as offsets$"
expect_match report.txt '^  note +--symfs FOLDER looks for such files in a folder that they were copied to$'

as_expected() {
    report --peak --symfs root trace.bin
    expect_equal "$1" "" "$(cat report.err)"
    expect_same expected.txt report.txt
}
as_expected "by its name"
mkdir -p "root/$PWD/gone"
mv root/train "root/$PWD/gone/train"
as_expected "by its path"

id=$(readelf -n "root/$PWD/gone/train" | sed -n 's/^ *Build ID: //p')
mkdir -p "root/usr/lib/debug/.build-id/${id:0:2}"
objcopy --only-keep-debug "root/$PWD/gone/train" "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
strip "root/$PWD/gone/train"
as_expected "set apart"

cp "$samples/tensors" root/train
rm "root/$PWD/gone/train"
report --summary --symfs root trace.bin
expect_status 0
expect_match report.txt '^  note +root/train is not the file that was traced, but another build: its functions are shown as offsets$'
report --peak --symfs missing trace.bin
expect_status 1
expect_match report.err '^memtrace-report: --symfs: missing: No such file or directory$'
