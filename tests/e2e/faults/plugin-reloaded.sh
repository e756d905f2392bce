# Given a plugin that is exchanged for another version, which lies at the same addresses and has other frames, when both
# allocate, then the program lives, and every stack names the true callers – also where memtrace does not see the dlclose.
sim_only
plugins=$O/tests/e2e/faults/plugin-versions
judge() { # NAME
    expect_status 0
    expect_equal "$1: places" 1 "$(sort -u out | wc -l)"
    report --dump trace.bin
    for bytes in 1000 2000; do
        expect_equal "$1: $bytes by C" 9 \
            "$(grep -cE "allocated .* bytes=$bytes .*\| plugin\.c:[0-9]+ pair < plugin\.c:[0-9]+ by_c < plugin\.c:[0-9]+ run < plugin-reloaded\.c:[0-9]+ use < " report.txt)"
        expect_equal "$1: $bytes by assembly" 9 \
            "$(grep -cE "allocated .* bytes=$((bytes + 1)) .*\| plugin\.c:[0-9]+ pair < [^<]* by_(assembly|c) < plugin\.c:[0-9]+ run < plugin-reloaded\.c:[0-9]+ use < " report.txt)"
    done
}
for MEMTRACE_FEED in hooks cupti; do
    export MEMTRACE_FEED
    traced "$O/tests/e2e/faults/plugin-reloaded" "$plugins/version_1.so" "$plugins/version_2.so"
    judge $MEMTRACE_FEED
done
attach=injection
traced "$O/tests/e2e/faults/plugin-reloaded" "$plugins/version_1.so" "$plugins/version_2.so"
judge injection
