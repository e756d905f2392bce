# Given C++ objects that free device memory after main, then each free stands in the trace with the result that the
# program saw; std::terminate and an uncaught exception end the program as always.
source "$e2e/coverage/ledger.bash"

# What the driver answers with DEINITIALIZED (4) it no longer shows to CUPTI.
without_late() {
    sed '/ 4$/d'
}

after_main() {
    rm -f trace.*
    traced "$life/statics"
    expect_status 0
    expect_equal "stderr ($way)" "" "$(cat err)"
    sed -n 's/^ledger \([-+!].*\)/\1/p' out | without_late >expected
    expect_equal "freed after main ($way)" 1 "$(grep -c '^- 2097152 ' expected)"
    changes_of trace.bin | without_late | diff -u expected - || fail "the report ($way)"
}
every_way after_main

ended() {
    rm -f trace.*
    traced "$life/statics" "$1"
    expect_status 134
    expect_match err '^terminate called'
    expect_equal "$1 ($way)" "+ 1048576 device cuMemAlloc_v2
+ 2097152 device cuMemAlloc_v2" "$(changes_of trace.bin)"
}
every_way ended terminate
every_way ended throw
