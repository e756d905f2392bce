# Given MEMTRACE_OUT that names something a trace can't take the place of, when a program runs, then one line says so,
# what is there stays as it is, and the program does what it always does.
sim_only
plain "$programs/kinds"
mv out plain.out
echo "my notes" >notes
mkfifo fifo
mkdir folder
refused() {
    MEMTRACE_OUT=$1 traced "$programs/kinds"
    expect_status 7
    expect_same plain.out out
    expect_lines err 1
    expect_match err "^memtrace: .*$2.* not traced\$"
}
stays='what is there is no trace, and stays as it is'
refused "$PWD/notes" "notes: $stays"
refused "$PWD/fifo" "fifo: $stays" # and nobody waits for its other end
refused /dev/null "/dev/null: $stays"
refused /dev/full "/dev/full: $stays"
refused "$PWD/folder" "folder: Is a directory"
refused "$PWD/$(printf 'x%.0s' {1..256})" "File name too long"
refused "$PWD/$(printf 'folder/../%.0s' {1..500})trace.bin" "too long"
expect_equal "notes" "my notes" "$(cat notes)"
expect_equal "names" "err fifo folder log notes out plain.out" "$(echo *)"
