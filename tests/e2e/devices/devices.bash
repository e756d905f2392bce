# Helpers of the cases about several devices. Sourced after lib.sh; ends the case where there are not two devices.
source "$e2e/coverage/ledger.bash"
coverage=$O/tests/e2e/devices # where run_row finds the programs
[ "$DEVICE" = gpu ] || export SIMCUDA_DEVICES=4

# Which devices there are, one GPU-UUID a line, by ordinal.
plain "$coverage/visible"
[ "$status" = 0 ] || fail "the devices cannot be listed"
mapfile -t uuids < <(awk '$1 == "device" { print $3 }' out)
[ ${#uuids[@]} -ge 2 ] || skip "needs two devices, there is ${#uuids[@]}"

# Ends the case where the first two devices cannot use each other's memory.
need_peers() {
    plain "$coverage/peers" cost
    expect_status 0
    ! grep -q '^skip: ' out || skip "$(sed -n 's/^skip: //p' out)"
}

# Of the lines of a ledger, "DEVICE …" each, those of a device, or all without the sums, which are a device's own.
of_device() {
    sed -n "s/^$1 //p"
}

of_all() {
    sed -n 's/^[0-9] \([^=]\)/\1/p'
}

# expect_ledgers WHAT TRACE <EXPECTED: the report on all devices together, in order, and on each alone.
expect_ledgers() {
    cat >expected-ledgers
    ledger_of "$2" | grep -v '^=' >found
    of_all <expected-ledgers | diff -u - found || fail "$1: the report ($MEMTRACE_FEED)"
    for device in 0 1; do
        report --ledger --device=$device "$2"
        expect_equal "$1: exit code of the report on device $device" 0 "$status"
        of_device $device <expected-ledgers | diff -u - report.txt || fail "$1: device $device ($MEMTRACE_FEED)"
    done
}

# devices PROGRAM ROW <EXPECTED: runs one row through every feed, and holds its own ledgers and the report's against the
# expected lines "DEVICE LINE".
devices() {
    each check_devices "$@"
}

check_devices() {
    cat >expected
    for MEMTRACE_FEED in "${feeds[@]}"; do
        export MEMTRACE_FEED
        run_row "$@" || return 0
        sed -n 's/^\([0-9] \)ledger /\1/p' out | diff -u expected - || fail "$*: what it says itself"
        expect_ledgers "$*" trace.bin <expected
    done
}

# devices_pair PROGRAM ROW <EXPECTED: the same for two processes; the second one's lines begin with "importer".
devices_pair() {
    each check_devices_pair "$@"
}

check_devices_pair() {
    local importer=
    cat >expected
    sed -n 's/^importer //p' expected >expected-importer
    grep -v '^importer ' expected >expected-exporter
    export MEMTRACE_OUT=$PWD/trace.%p.bin
    for MEMTRACE_FEED in "${feeds[@]}"; do
        export MEMTRACE_FEED
        run_row "$@" || return 0
        sed -n 's/^importer \([0-9] \)ledger /\1/p' out | diff -u expected-importer - || fail "$*: the importer"
        sed -n 's/^\([0-9] \)ledger /\1/p' out | diff -u expected-exporter - || fail "$*: the exporter"
        expect_equal "$*: traces" 2 "$(find . -name 'trace.*.bin' | wc -l)"
        for trace in trace.*.bin; do
            # The importer is the one that uses device 1.
            report --ledger --device=1 "$trace"
            [ -s report.txt ] && importer=importer || importer=exporter
            expect_ledgers "$* ($importer)" "$trace" <expected-$importer
        done
    done
}
