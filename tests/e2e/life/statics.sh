# Given C++ objects that free device memory after main, then each free stands in the trace with the result that the
# program saw; std::terminate and an uncaught exception end the program as always.
source "$e2e/coverage/ledger.bash"
traced "$life/statics"
expect_status 0
expect_equal "stderr" "" "$(cat err)"
# (What the driver answers with DEINITIALIZED, 4, it no longer shows to CUPTI.)
sed -n 's/^ledger \([-+!].*\)/\1/p' out | sed '/ 4$/d' >expected
expect_match expected '^[-!] .* cuMemFree_v2'
changes_of trace.bin | sed '/ 4$/d' >found
expect_same expected found

for how in terminate throw; do
    rm -f trace.*
    traced "$life/statics" $how
    expect_status 134
    expect_match err '^terminate called'
    expect_equal "$how" "+ 1048576 device cuMemAlloc_v2
+ 2097152 device cuMemAlloc_v2" "$(changes_of trace.bin)"
done
