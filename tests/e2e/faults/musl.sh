# Given a program of another C library under LD_PRELOAD, as a script may run one, then it runs as without.
sim_only
command -v musl-gcc >/dev/null || skip "no musl-gcc here"
musl-gcc -o musl "$e2e/faults/names/musl.c" || fail "musl-gcc"
plain ./musl
expect_equal "untraced" "1 1 0" "$(cat out)"
traced ./musl
expect_status 0
expect_equal "output" "1 1 0" "$(cat out)"
expect_equal "stderr" "" "$(cat err)"
expect_no_file trace.bin
