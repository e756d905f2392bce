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
