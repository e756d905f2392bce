# Given the ranks of one run, each on its own device, then MEMTRACE_OUT=trace.%r.bin makes a trace of each, and one
# command reports them in turn.
source "$e2e/devices/devices.bash"
both_ranks() {
    for rank in 0 1; do
        RANK=$rank LOCAL_RANK=$rank WORLD_SIZE=2 "$coverage/visible" &
    done
    wait
}
export MEMTRACE_OUT=$PWD/trace.%r.bin
traced both_ranks
expect_equal "traces" "trace.0.bin trace.1.bin" "$(echo trace.*)"

for rank in 0 1; do
    report --summary trace.$rank.bin
    expect_match report.txt "^  process +[0-9]+, rank $rank of 2"
    expect_match report.txt "^Device $rank "
    expect_no_match report.txt "^Device $((1 - rank)) "
    expect_match report.txt "^  GPU $rank .*, ${uuids[$rank]}\$"
    report --ledger --device=$rank trace.$rank.bin
    expect_equal "ledger of rank $rank" "= physical live 5242880 peak 5242880" "$(grep = report.txt)"
done

report --ledger trace.0.bin trace.1.bin
expect_status 0
expect_equal "reports in turn" "== trace.0.bin ==

+ 3145728 device cuMemAlloc_v2
- 3145728 device cuMemFree_v2
+ 5242880 device cuMemAlloc_v2
= physical live 5242880 peak 5242880
== trace.1.bin ==

+ 3145728 device cuMemAlloc_v2
- 3145728 device cuMemFree_v2
+ 5242880 device cuMemAlloc_v2
= physical live 5242880 peak 5242880" "$(cat report.txt)"

# A rank that left no trace is named, and does not cost the others their report.
report --summary trace.0.bin trace.2.bin trace.1.bin
expect_status 2
expect_match report.err "trace.2.bin"
expect_equal "summaries" "trace.0.bin trace.1.bin" \
    "$(sed -n 's/^Summary of //p' report.txt | paste -sd ' ')"
