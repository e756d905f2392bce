# Given variables that are misspelt or have a value that makes no sense, when a program runs, then one line for each says
# so and what was probably meant; and MEMTRACE_ARGUMENTS=0 leaves the arguments out of the trace.
sim_only
says() {
    MEMTRACE_OUT=$PWD/trace.bin traced env "$1" "$programs/kinds"
    expect_status 7
    expect_lines err 1
    expect_match err "^memtrace: $2\$"
}
says MEMTRACE_STACK=off 'MEMTRACE_STACK is no variable of memtrace, and does nothing; is it to be MEMTRACE_STACKS\?'
says MEMTRACE_LAUNCHSTACKS=1 '.* is it to be MEMTRACE_LAUNCH_STACKS\?'
says MEMTRACEFEED=hooks '.* is it to be MEMTRACE_FEED\?'
says MEMTRACE_OUTPUT=x.bin '.* is it to be MEMTRACE_OUT\?'
says MEMTRACE_FEED=cuptii 'MEMTRACE_FEED=cuptii is none of .*'
says MEMTRACE_STACKS=many 'MEMTRACE_STACKS=many is neither off nor a depth .*'
says MEMTRACE_LAUNCH_STACKS=yes 'MEMTRACE_LAUNCH_STACKS=yes is neither 0 nor 1; using 0'
says MEMTRACE_MAX_SIZE=big 'MEMTRACE_MAX_SIZE=big is no size, as 500M or 2G, nor off; .*'
says "MEMTRACE_OUT=$PWD/x.%q.bin" 'MEMTRACE_OUT=.*/x.%q.bin: %q stands for nothing .*'
expect_file x.%q.bin

says_command() {
    rm -f trace.bin*
    MEMTRACE_ARGUMENTS=$1 traced bash -c 'exec "$0" "$@"' "$programs/threads" async 10
    expect_lines err 0
    report --summary trace.bin
    expect_match report.txt "$2"
}
says_command 1 'threads async 10$'
says_command 0 'threads$'
expect_equal "its argument in the trace" 0 "$(grep -c async trace.bin)"
