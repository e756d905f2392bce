# The program's own mistakes: it sees exactly the results that it sees without the tracer, and the report lists each.
source "$e2e/coverage/ledger.bash"

# check_mistakes PROGRAM ROW
check_mistakes() {
    plain "$coverage/$1" "$2"
    expect_equal "$2 untraced: exit code" 0 "$status"
    mv out untraced
    for MEMTRACE_FEED in "${feeds[@]}"; do
        export MEMTRACE_FEED
        run_row "$@" || return 0
        expect_same untraced out
        sed -n 's/^ledger \([-+~!]\)/\1/p' out >expected
        changes_of trace.bin | diff -u expected - || fail "$2: the report ($MEMTRACE_FEED)"
        mistakes=$(grep -c '^!' expected)
        report --summary trace.bin
        [ "$mistakes" = 0 ] && expect_no_match report.txt '^Failed calls' && continue # the driver allowed it all
        expect_match report.txt "^Failed calls: $mistakes\$"
        expect_match report.txt "^    at ${1%-*}\.c:[0-9]+ "
    done
}

[ "$DEVICE" = gpu ] || export SIMCUDA_DEVICES=2
for row in invalid-free double-free wrong-kind other-context other-device absurd absurd-objects null-out no-context \
    after-reset access-of-nobody; do
    each check_mistakes errors $row
done
[ "$DEVICE" = gpu ] || each check_mistakes errors long-list # a driver that still serves it may read it all
for runtime in "${runtimes[@]}"; do
    each check_mistakes "$runtime" errors
done

# Before cuInit there is no trace yet: only what comes after it is recorded.
plain "$coverage/errors" before-init
mv out untraced
rm -f trace.*
traced "$coverage/errors" before-init
expect_same untraced out
changes_of trace.bin >found
expect_equal "after cuInit" "+ 1048576 device cuMemAlloc_v2
- 1048576 device cuMemFree_v2" "$(cat found)"

# What the real device answers, once and for all.
if [ "$DEVICE" = sim ]; then
    plain "$coverage/errors" invalid-free
    expect_equal "invalid frees" "ledger ! 0 device cuMemFree_v2 1" "$(sort -u out | grep '!')"
fi
