# After `traced threads ALLOCATOR PAIRS`: counts and sums of the report are the program's own, exactly.
threads_as_reported() {
    expect_status 0
    read -r _ blocks _ bytes _ < <(grep '^allocated ' out)
    read -r _ live_blocks _ live_bytes _ < <(grep '^live ' out)
    report --ledger trace.bin
    expect_status 0
    expect_equal "damage" "" "$(cat report.err)"
    expect_equal "allocations, frees, bytes allocated, bytes left" \
        "$blocks $((blocks - live_blocks)) $bytes $live_bytes" \
        "$(awk '$1 == "+" { n++; sum += $2; left += $2 } $1 == "-" { m++; left -= $2 }
            END { printf "%d %d %.0f %.0f\n", n, m, sum, left }' report.txt)"
    expect_no_match report.txt '^!'
    report --live trace.bin
    expect_match report.txt "in $live_blocks allocations live at exit"
}
