# Both feeds at once: what one records the other has seen too, call by call, in every row of every program.
source "$e2e/coverage/ledger.bash"
export MEMTRACE_FEED=both

check_both() {
    run_row "$@" || return 0
    report --summary trace.bin
    expect_match report.txt '^  seen by CUPTI only +0$'
    expect_match report.txt '^  seen by hooks only +0$'
}

for program in linear host pools vmm arrays ipc graphs contexts launches errors legacy ptsz "${runtimes[@]}"; do
    for row in $(LD_LIBRARY_PATH=$program_libraries "$coverage/$program"); do
        case $row in
        shared | closed-first | held | kept) continue ;; # two processes: two traces
        long-list) [ "$DEVICE" = sim ] || continue ;;     # a driver that still serves it may read it all
        esac
        each check_both $program $row
    done
done
