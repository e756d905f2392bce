# Multicast objects hold no memory; what is bound to them is counted where it was made. Not for a real device, where
# creating one switches its fabric.
sim_only
source "$e2e/coverage/ledger.bash"
export MEMTRACE_MULTICAST=yes

row multicast bind-memory <<'END'
+ 8388608 physical cuMemCreate
- 8388608 physical cuMemRelease
= physical live 0 peak 8388608
END

row multicast bind-address <<'END'
+ 8388608 device cuMemAlloc_v2
- 8388608 device cuMemFree_v2
= physical live 0 peak 8388608
END
