# Every way to launch, and to load what is launched: each launch is in the trace once, with its kernel and its shape.
source "$e2e/coverage/ledger.bash"

# check_launches PROGRAM ROW CALL...: the calls by which the trace says that something was launched, in order.
check_launches() {
    local program=$1 row=$2
    shift 2
    printf '%s\n' "$@" >expected
    for MEMTRACE_FEED in "${feeds[@]}"; do
        export MEMTRACE_FEED
        run_row "$program" "$row" || return 0
        expect_match out "^fact launches $#\$"
        launched_in trace.bin | diff -u expected - || fail "$row: the report ($MEMTRACE_FEED)"
        ! looks=$(sed -n 's/^fact looks //p' out | grep .) || expect_equal "$row: looks ($MEMTRACE_FEED)" "$looks" \
            "$(awk '$3 == "sampled" && $4 == "cuLaunchKernel"' report.txt | wc -l)"
    done
}

each check_launches launches kernel cuLaunchKernel cuLaunchKernel
each check_launches launches kernel-ex cuLaunchKernelEx
each check_launches launches cooperative cuLaunchCooperativeKernel
each check_launches launches cooperative-devices cuLaunchCooperativeKernelMultiDevice
each check_launches launches old-forms cuLaunch cuLaunchGrid cuLaunchGridAsync
each check_launches launches graph cuGraphLaunch
each check_launches launches graph-captured cuGraphLaunch
each check_launches launches modules cuLaunchKernel cuLaunchKernel cuLaunchKernel
each check_launches launches contexts cuLaunchKernel cuLaunchKernel cuLaunchKernel cuLaunchKernel cuLaunchKernel cuLaunchKernel
each check_launches launches libraries cuLaunchKernel cuLaunchKernel
each check_launches launches fat-binary cuLaunchKernel
each check_launches launches lazy cuLaunchKernel
each check_launches launches local-memory cuLaunchKernel
each check_launches ptsz launches cuLaunchKernel_ptsz cuLaunchKernelEx_ptsz cuLaunchCooperativeKernel_ptsz
