# Every way to launch, and to load what is launched: each launch is in the trace once, with its kernel and its shape.
source "$e2e/coverage/ledger.bash"

# launches PROGRAM ROW CALL...: the calls by which the trace says that something was launched, in order.
launches() {
    local program=$1 row=$2
    shift 2
    printf '%s\n' "$@" >expected
    for MEMTRACE_FEED in "${feeds[@]}"; do
        export MEMTRACE_FEED
        run_row "$program" "$row" || return 0
        expect_match out "^fact launches $#\$"
        launched_in trace.bin | diff -u expected - || fail "$row: the report ($MEMTRACE_FEED)"
    done
}

launches launches kernel cuLaunchKernel cuLaunchKernel
launches launches kernel-ex cuLaunchKernelEx
launches launches cooperative cuLaunchCooperativeKernel
launches launches cooperative-devices cuLaunchCooperativeKernelMultiDevice
launches launches old-forms cuLaunch cuLaunchGrid cuLaunchGridAsync
launches launches graph cuGraphLaunch
launches launches modules cuLaunchKernel cuLaunchKernel cuLaunchKernel
launches launches libraries cuLaunchKernel cuLaunchKernel
launches launches fat-binary cuLaunchKernel
launches launches lazy cuLaunchKernel
launches launches local-memory cuLaunchKernel
launches ptsz launches cuLaunchKernel_ptsz cuLaunchKernelEx_ptsz cuLaunchCooperativeKernel_ptsz
