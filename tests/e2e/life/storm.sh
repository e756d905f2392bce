# Given threads that allocate without pause, when the process forks, or loads and unloads a library that allocates, a
# hundred times, then nothing waits for ever and every pair is in the trace.
source "$e2e/coverage/ledger.bash"

# storm BY_LIBRARY ARGUMENT...: what the library allocated, and what to run.
storm() {
    local by_library=$1
    shift
    rm -f trace.*
    traced timeout 60 "$life/storm" "$@"
    expect_equal "$* ($way): exit code" 0 "$status"
    expect_equal "$* ($way): stderr" "" "$(cat err)"
    expect_equal "$* ($way): traces" trace.bin "$(ls trace.*)"
    changes_of trace.bin >ledger
    pairs=$(sed -n 's/^fact pairs //p' out)
    expect_equal "$* ($way): allocations" "$pairs" "$(grep -c '^+ 4096 device cuMemAlloc_v2$' ledger)"
    expect_equal "$* ($way): frees" "$pairs" "$(grep -c '^- 4096 device cuMemFree_v2$' ledger)"
    expect_equal "$* ($way): by the library" "$by_library" "$(grep -c '^+ 1048576 ' ledger)"
}

every_way storm 0 fork 100
every_way storm 100 load 100 "$life/plugin_a.so"

# Exit does not wait for the threads: what they had finished by then is there, and no more than one pair each half done.
leave() {
    rm -f trace.*
    traced timeout 60 "$life/storm" exit 1000
    expect_equal "exit ($way): exit code" 0 "$status"
    expect_equal "exit ($way): stderr" "" "$(cat err)"
    # What threads did behind the trace's end is counted as lost.
    report --ledger trace.bin
    [ "$status" = 0 ] || expect_match report.txt '^# Incomplete: .* events? lost, .*: threads went on after the trace had ended'
    grep '^[-+]' report.txt >ledger
    pairs=$(sed -n 's/^fact pairs //p' out)
    allocations=$(grep -c '^+ 4096 ' ledger) frees=$(grep -c '^- 4096 ' ledger)
    [ "$frees" -ge "$pairs" ] || fail "exit ($way): $pairs pairs, $frees frees in the trace"
    [ "$allocations" -ge "$frees" ] && [ "$allocations" -le $((frees + 4)) ] ||
        fail "exit ($way): $allocations allocations, $frees frees"
}
[ "$DEVICE" = gpu ] || every_way leave # a real driver makes no promises about calls during exit
