# HAMi-core#187, #313: memory with a place on the host is the host's; what a failed call leaves in its out-parameters is
# not looked at.
source "$e2e/coverage/ledger.bash"
coverage=$public

row location stale-out <<'END'
+ 2097152 device cuMemAlloc_v2
+ 4194304 physical cuMemCreate
! 35184372088832 device cuMemAlloc_v2 2
! 35184372088832 physical cuMemCreate 2
- 2097152 device cuMemFree_v2
- 4194304 physical cuMemRelease
= physical live 0 peak 6291456
END

# Here the program's totals do not count: it calls the memory physical, and where it lies is what the report must see.
for MEMTRACE_FEED in "${feeds[@]}"; do
    export MEMTRACE_FEED
    run_row location on-host || break
    ledger_of trace.bin >found
    expect_equal "memory on the host ($MEMTRACE_FEED)" "+ 4194304 physical cuMemCreate
- 4194304 physical cuMemRelease
= host live 0 peak 4194304" "$(cat found)"
done
