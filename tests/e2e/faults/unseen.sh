# Given calls that go past the hooks, when they can be told by what they leave, then the program's user and the reader of
# the report are told, once, and which feed sees them; that feed does, and has nothing to tell.
# unseen WAY FEED [FACT]: what the trace has of the blocks of 3000 bytes and more.
unseen() {
    export MEMTRACE_FEED=$2
    traced "$O/tests/e2e/faults/unseen" "$1"
    expect_status 0
    report --dump trace.bin
    seen="$(grep -cE "^[0-9.]+ [0-9]+ allocated " report.txt) $(grep -cE "^[0-9.]+ [0-9]+ freed " report.txt)"
    if [ $# = 3 ]; then
        expect_equal "$1, $2: lines on stderr" 1 "$(wc -l <err)"
        expect_match err "^memtrace: $3: the program has a way .* past the hooks; MEMTRACE_FEED=cupti sees it\$"
        report --coverage trace.bin
        expect_match report.txt "^Some calls were not seen: $3\\. MEMTRACE_FEED=cupti sees them\\.\$"
        report --summary trace.bin
        expect_match report.txt "^  calls not seen +$3; MEMTRACE_FEED=cupti sees them\$"
        for view in --lines --live --peak; do
            report $view trace.bin
            expect_match report.txt "^Incomplete: calls were not seen: $3; MEMTRACE_FEED=cupti sees them\$"
            expect_status 2
        done
    else
        expect_equal "$1, $2: stderr" "" "$(cat err)"
        for view in --coverage --summary --lines; do
            report $view trace.bin
            expect_no_match report.txt 'not seen|^Incomplete'
        done
    fi
}

freed='memory was freed whose allocation was not seen'
plugin='.*/deepbound\.so calls the driver directly'
[ "$DEVICE" = sim ] && hand=by-hand || hand=
for way in freed $hand; do
    unseen $way auto "$freed"
    expect_equal "$way: allocations, frees" "1 6" "$seen"
    unseen $way cupti
    expect_equal "$way, cupti: allocations, frees" "6 6" "$seen"
done
unseen context auto 'a context was used whose creation was not seen'
unseen context cupti
for way in kept both closed; do
    unseen $way auto "$plugin"
    unseen $way cupti
done
unseen none auto
unseen none cupti
expect_equal "none: allocations, frees" "6 6" "$seen"
unseen init cupti
