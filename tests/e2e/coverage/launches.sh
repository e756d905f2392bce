# Every way to launch, and to load what is launched: each launch is in the trace once, with its kernel and its shape.
source "$e2e/coverage/ledger.bash"

# launches PROGRAM ROW CALL...: the calls by which the trace says that something was launched, in order.
launches() {
    local program=$1 row=$2
    shift 2
    rm -f trace.*
    traced "$coverage/$program" "$row"
    expect_equal "$row: exit code" 0 "$status"
    if grep '^skip: ' out; then return; fi
    expect_match out "^fact launches $#\$"
    printf '%s\n' "$@" >expected
    launched_in trace.bin >found
    expect_same expected found
}

launches launches kernel cuLaunchKernel cuLaunchKernel
launches launches kernel-ex cuLaunchKernelEx
launches launches cooperative cuLaunchCooperativeKernel
launches launches cooperative-devices cuLaunchCooperativeKernelMultiDevice
launches launches old-forms cuLaunch cuLaunchGrid cuLaunchGridAsync
launches launches graph cuGraphLaunch
launches launches modules cuLaunchKernel cuLaunchKernel cuLaunchKernel
launches launches libraries cuLaunchKernel cuLaunchKernel
launches ptsz launches cuLaunchKernel_ptsz cuLaunchKernelEx_ptsz cuLaunchCooperativeKernel_ptsz
