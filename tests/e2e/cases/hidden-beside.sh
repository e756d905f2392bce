# Given two processes on one GPU, when the other comes, takes memory, gives it back and goes while this one is measured,
# then --hidden and the summary are about this one alone: NVML is asked whenever memory moves beside others, and once
# somebody seems to have come. Where there is no NVML, the report says that less is in use than its rows say.
sim_only
export SIMCUDA_SHARED=$PWD/shared
with_nvml=$O/tests/fakes/nvml:$program_libraries without_nvml=$program_libraries
mkfifo there back

# together OTHERS_STEP... -- STEP...: both processes, which take turns; this one, traced, begins. The other waits last,
# for this one's end.
together() {
    local others=()
    while [ "$1" != -- ]; do others+=("$1") && shift; done
    rm -f shared
    LD_LIBRARY_PATH=$without_nvml "$programs/beside" "${others[@]}" >back <there &
    traced bash -c 'exec "$0" "$@" <back >there' "$programs/beside" "${@:2}"
    expect_status 0
    wait $!
    report --hidden trace.bin
    expect_status 0
    sed -n '/ in use at exit/,$p' report.txt >exit.txt
}

# The other comes with 900 MiB between our streams, takes 512 MiB more, and gives those back. Our context takes 564,985,856
# bytes, as on a GPU, and our streams 2 MiB.
comes=(wait context take:900 go wait take:512 go wait give go wait)
ours=(context stream go wait stream go wait stream go wait stream)

program_libraries=$with_nvml
together "${comes[@]}" -- "${ours[@]}"
expect_match exit.txt '^Device 0 .*: 567,083,008 bytes \(540\.8 MiB\) in use at exit, '
expect_match exit.txt '^  This process alone, as the driver.s management library tells; measured 8 times\.$'
expect_match exit.txt "^  Beside it, 1,508,704,256 bytes \\(1\\.41 GiB\\) were in use by others\\.$"
expect_match exit.txt '^ +564,985,856 .* beside\.c:[0-9]+ run: context, by cudaFree$'
expect_match exit.txt '^ +2,097,152 .* 1  beside\.c:[0-9]+ run: cudaStreamCreate$'
expect_match exit.txt '^ +0 .* unexplained$'
expect_match report.txt '^Device 0 .*: 567,083,008 bytes \(540\.8 MiB\) in use at most, '
expect_no_match report.txt 'less are in use'
report --summary trace.bin
expect_match report.txt '^  device memory +567,083,008 bytes .* at its peak, 567,083,008 at the end, as measured for this process$'

# The other was there before, and gives back all but its context.
together wait context take:900 go wait give go wait -- go wait context stream go wait stream take:3
expect_match exit.txt '^Device 0 .*: 571,277,312 bytes \(544\.8 MiB\) in use at exit, '
expect_match exit.txt '^  Beside it, 564,985,856 bytes .* were in use by others\.$'
expect_match exit.txt '^ +564,985,856 .* beside\.c:[0-9]+ run: context, by cudaFree$'
expect_match exit.txt '^ +0 .* unexplained$'
expect_no_match report.txt 'less are in use'

program_libraries=$without_nvml
together wait context take:900 go wait give go wait -- "${ours[@]:0:6}" wait
expect_match exit.txt '^  Measured 4 times for the whole device: if other processes use it, theirs is in it\.$'
expect_match exit.txt '^ +943,718,400 .* disagreement: so much less is in use than these rows say$'
expect_match exit.txt '^  943,718,400 bytes \(900\.0 MiB\) less are in use than these rows say: others gave memory back, or it was unseen\.$'
