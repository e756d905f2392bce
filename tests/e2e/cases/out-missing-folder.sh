# Given MEMTRACE_OUT in a folder that does not exist, when a program runs, then one line says so and the program does
# what it always does.
sim_only
plain "$programs/kinds"
mv out plain.out
MEMTRACE_OUT=$PWD/absent/trace.bin traced "$programs/kinds"
expect_status 7
expect_same plain.out out
expect_lines err 1
expect_match err "^memtrace: .*absent/trace.bin.*No such file"
expect_no_file absent
