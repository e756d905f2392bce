# Given no MEMTRACE_FEED, then the hooks are the feed of a preloaded process, whatever it finds the driver by; CUPTI is
# that of a process which the driver attaches to, or whose cuInit the hooks did not see. The trace is the same.
unset MEMTRACE_FEED
feed_is() { # WHAT FEED
    report --summary trace.bin
    expect_match report.txt "^  feed  +$2\$"
}

[ "$DEVICE" = sim ] && static=$samples/train-simstatic || static=$samples/train-static
for program in "$samples/train" "$static" "$O/tests/e2e/faults/pairs"; do
    arguments=(--layers 64,64 --steps 2)
    [ "$program" != "$O/tests/e2e/faults/pairs" ] || arguments=()
    traced "$program" "${arguments[@]}"
    expect_status 0
    expect_equal "$program: stderr" "" "$(cat err)"
    feed_is "$program" hooks
    attach=injection
    traced "$program" "${arguments[@]}"
    feed_is "$program" cupti
    attach=preload
done

# A plug-in that is bound past the hooks makes the first call.
traced "$O/tests/e2e/faults/unseen" init
expect_status 0
expect_equal "stderr" "" "$(cat err)"
feed_is "a plug-in's cuInit" "cupti: the program found cuInit in a way that symbol hooks do not see"
report --dump trace.bin
expect_equal "allocations, the plug-in's and its own" 6 "$(grep -c ' allocated ' report.txt)"

# Another tool's CUDA_INJECTION64_PATH: CUPTI is its.
injected() {
    export CUDA_INJECTION64_PATH=/nowhere/tool.so
    exec "$O/tests/e2e/faults/pairs"
}
traced injected
expect_status 0
feed_is "beside an injected tool" hooks
