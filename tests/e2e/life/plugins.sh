# Given two libraries that are loaded, allocate and are unloaded in turn, 50 times, then each allocation is named by the
# file of the library that was mapped at that moment.
source "$e2e/coverage/ledger.bash"

plugins() {
    rm -f trace.*
    traced "$life/plugins" 50 "$life/plugin_a.so" "$life/plugin_b.so"
    expect_status 0
    changes_of trace.bin >ledger
    expect_equal "allocations" 100 "$(grep -c '^+' ledger)"
    expect_equal "frees" 98 "$(grep -c '^-' ledger)"
    # Without LD_PRELOAD nobody tells the tracer that a library was unloaded.
    [ $attach = preload ] || return 0
    report --live --user-code '*plugin_*' trace.bin
    expect_status 0
    expect_match report.txt ' 1,048,576 .* plugin_a\.c:[0-9]+ plugin_allocate$'
    expect_match report.txt ' 2,097,152 .* plugin_b\.c:[0-9]+ plugin_allocate$'
}
every_way plugins
