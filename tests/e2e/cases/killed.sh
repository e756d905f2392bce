# Given four threads that allocate and free without end, when the process dies by SIGKILL, then the trace holds every
# pair that had finished, and nothing that never happened: at most one more allocation a thread. (Thread t allocates
# (t + 1) * 4096 bytes, so the size tells the thread.)
traced "$programs/killed" 5000 progress
expect_status 137
report --summary trace.bin
! grep '^  storage ' report.txt || skip "files can't be mapped here: see life/buffered"
report --dump trace.bin
expect_status 0
expect_equal "damage" "" "$(cat report.err)"

mapfile -t finished < <(od -An -v -t u8 -w8 progress | xargs -n 1)
for thread in 0 1 2 3; do
    allocated=$(allocations_of $(((thread + 1) * 4096)))
    [ "$allocated" -ge "${finished[thread]}" ] && [ "$allocated" -le $((finished[thread] + 1)) ] ||
        fail "thread $thread finished ${finished[thread]} pairs; the trace holds $allocated allocations"
done
