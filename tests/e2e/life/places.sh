# Given a program that closes every descriptor, leaves its folder, changes its user or its root, then it is not harmed,
# and what it allocated is in the trace.
source "$e2e/coverage/ledger.bash"

place() {
    traced timeout 30 "$life/places" "$1"
    expect_status 0
    expect_equal "$1: stderr" "" "$(cat err)"
}

place close-descriptors
expect_match out '^fact intact 1$'
expect_equal "pairs after it" 10000 "$(changes_of trace.bin | grep -c '^+ 4096 ')"
expect_equal "own file" "the program's own" "$(cat own.txt)"
report --dump trace.bin
expect_equal "stacks after it" 10000 "$(grep -c "bytes=4096 .* | places\.c:[0-9]* pair_at < places\.c:" report.txt)"
expect_equal "close-descriptors" "+ 1048576 device cuMemAlloc_v2" "$(changes_of trace.bin | head -n 1)"

# A relative path of the trace belongs to the folder where the program started.
rm -f trace.bin
MEMTRACE_OUT=trace.bin place change-folder
expect_no_file elsewhere/trace.bin
expect_equal "change-folder" "+ 1048576 device cuMemAlloc_v2" "$(changes_of trace.bin)"

for row in change-user change-root; do
    rm -rf trace.* cell
    place $row
    grep -q '^skip' out || expect_equal "$row" "$(sed -n 's/^ledger \([+!].*\)/\1/p' out)" "$(changes_of trace.bin)"
done

rm -rf trace.* cell
traced "$life/places" change-root-before
expect_status 0
[ "$(wc -l <err)" -le 1 ] || fail "more than one line about it"
