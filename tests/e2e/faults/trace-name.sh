# Given several processes that one command starts, then the trace of the topmost that records has the name that was asked
# for, each of the others has one of its own, and a line for each says so. What an earlier command left becomes .old.
sim_only
export p=$O/tests/e2e/faults/trace-name

# allocations TRACE: how many MiB each allocated.
allocations() {
    report --dump "$1"
    sed -n 's/.* allocated .* bytes=\([0-9]*\).*/\1/p' report.txt | while read -r bytes; do echo $((bytes >> 20)); done |
        paste -sd ' '
}

# family MAIN OTHERS LINES COMMAND...: what trace.bin has, what the others have, and how many lines are printed.
family() {
    local main=$1 others=$2 lines=$3 trace
    shift 3
    rm -f trace.* fifo*
    mkfifo fifo1 fifo2
    traced "$@"
    expect_status 0
    expect_lines err "$lines"
    [ "$main" = none ] || expect_equal "trace.bin of $*" "$main" "$(allocations trace.bin)"
    expect_equal "other traces of $*" "$others" "$(for trace in trace.*.bin; do
        [ -e "$trace" ] && allocations "$trace"
    done | sort | paste -sd ' ')"
}

family 1 "" 0 bash -c '$p alloc=1; :'                                   # a shell is in nobody's way
family 2 "" 0 "$p" "run=$p count" alloc=2                               # nor is a child that does nothing
family 1 "" 0 "$p" count "run=$p alloc=1"                               # nor a launcher that counts devices
family 2 1 1 "$p" "run=$p alloc=1" alloc=2                              # a child was first, and has ended
family 2 1 1 "$p" "start=$p alloc=1 tell=fifo1" listen=fifo1 alloc=2    # and lives
family 2 1 1 "$p" alloc=2 "run=$p alloc=1"                              # the parent was first
family 1 "2 3" 2 bash -c '$p alloc=1; $p alloc=2; $p alloc=3'           # a script's programs
family 1 "2 3" 2 "$p" fork=1 fork=2 fork=3                              # workers of a server
family 4 "1 2" 2 "$p" fork=1 fork=2 alloc=4                             # a server that records, too
family "1 2" 3 1 "$p" alloc=1 alloc=2 "run=$p run=\"$p alloc=3\""       # a grandchild
family 2 1 1 bash -c 'timeout 60 env $p "run=env $p alloc=1" alloc=2; :' # programs that become others
RANK=0 family 1 2 1 bash -c '$p alloc=1 tell=fifo1 listen=fifo2 & $p listen=fifo1 alloc=2 tell=fifo2; wait'

# A child whose trace was renamed goes on, over several chunks and with its descriptors closed.
family 2 1 1 "$p" "start=$p alloc=1 tell=fifo1 listen=fifo2" listen=fifo1 alloc=2 tell=fifo2
expect_match err '^memtrace: .*/trace.bin is now the trace of this process, and .*/trace\.[0-9]+\.bin that of process [0-9]+$'

# Another command: the older trace becomes .old. So does that of a program which exec replaced; the one before it does not
# go without a word.
rm -f trace.*
for mib in 1 2 3; do
    traced "$p" alloc=$mib
    expect_status 0
    expect_lines err 0
done
expect_equal "the latest" 3 "$(allocations trace.bin)"
expect_equal "the one before" 2 "$(allocations trace.bin.old)"
traced "$p" alloc=4 "exec=exec $p alloc=5 'exec=exec $p alloc=6'"
expect_equal "the latest" 6 "$(allocations trace.bin)"
expect_equal "the one before" 5 "$(allocations trace.bin.old)"
expect_lines err 1
expect_match err '^memtrace: .*/trace.bin.old, an earlier trace of this command, has been replaced'

# What is no trace stays as it is.
echo "my notes" >trace.bin.old
traced "$p" alloc=4
expect_status 0
expect_lines err 1
expect_match err '^memtrace: .*/trace.bin is now the trace of this process, and .*/trace\.[0-9]+\.bin that of'
expect_equal "notes" "my notes" "$(cat trace.bin.old)"
expect_equal "the latest" 4 "$(allocations trace.bin)"
expect_equal "the one before" 6 "$(allocations trace.*.bin)"

# A link is not followed, and nobody else reads a trace.
rm -f trace.*
touch victim
ln -s victim trace.bin
traced "$p" alloc=1
expect_status 0
expect_match err "^memtrace: can't write .*/trace.bin: what is there is no trace, and stays as it is; .* not traced\$"
expect_equal "bytes of the link's target" 0 "$(stat -c %s victim)"
rm trace.bin
(umask 000 && traced "$p" alloc=1)
expect_equal "mode" 600 "$(stat -c %a trace.bin)"
