# Given programs that never touch CUDA, when they run with the library preloaded, then no file appears and nothing is
# printed.
traced /bin/echo hello
expect_status 0
expect_equal "stdout" hello "$(cat out)"
expect_equal "stderr" "" "$(cat err)"
traced /bin/bash -c 'echo $((6 * 7)); ls >/dev/null; exit 3'
expect_status 3
expect_equal "stdout" 42 "$(cat out)"
expect_equal "stderr" "" "$(cat err)"
expect_equal "files" "err out" "$(ls --ignore=log | xargs)"
