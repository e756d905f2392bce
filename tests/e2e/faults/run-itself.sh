# Given the library, when somebody runs it as a program, then it prints its version and how it is used; preloaded, it is
# the library that it was.
sim_only
"$library" >out 2>err
expect_equal "exit code" 0 $?
expect_match out '^memtrace [0-9]+\.[0-9]+\.[0-9]+: '
expect_match out 'LD_PRELOAD=.*libmemtrace\.so \./program'
expect_lines err 0
expect_equal "files" "err log out" "$(echo *)"
"$library" >/dev/full 2>err
expect_equal "exit code of a failed write" 1 $?
LD_PRELOAD=$library "$library" >out2 2>err
expect_same out out2
traced "$programs/kinds"
expect_status 7
expect_lines err 0
