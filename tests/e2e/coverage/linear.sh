# Every way to get device memory by address, through the driver and the runtime (shared and static).
source "$e2e/coverage/ledger.bash"

row linear alloc <<'END'
+ 100 device cuMemAlloc_v2
+ 3145728 device cuMemAlloc_v2
- 100 device cuMemFree_v2
- 3145728 device cuMemFree_v2
= physical live 0 peak 3145828
END

row linear pitch <<'END'
+ 1024000 pitched cuMemAllocPitch_v2
- 1024000 pitched cuMemFree_v2
= physical live 0 peak 1024000
END

row linear managed <<'END'
+ 8388608 managed cuMemAllocManaged
- 8388608 managed cuMemFree_v2
= host live 0 peak 8388608
END

row linear reuse <<'END'
+ 1048576 device cuMemAlloc_v2
- 1048576 device cuMemFree_v2
+ 2097152 device cuMemAlloc_v2
- 2097152 device cuMemFree_v2
+ 3145728 device cuMemAlloc_v2
- 3145728 device cuMemFree_v2
+ 4194304 device cuMemAlloc_v2
- 4194304 device cuMemFree_v2
+ 5242880 device cuMemAlloc_v2
- 5242880 device cuMemFree_v2
+ 6291456 device cuMemAlloc_v2
- 6291456 device cuMemFree_v2
+ 7340032 device cuMemAlloc_v2
- 7340032 device cuMemFree_v2
+ 8388608 device cuMemAlloc_v2
- 8388608 device cuMemFree_v2
+ 5242880 device cuMemAlloc_v2
= physical live 5242880 peak 8388608
END

for runtime in "${runtimes[@]}"; do
    row "$runtime" linear <<'END'
+ 1048576 device cuMemAlloc_v2
+ 1024000 pitched cuMemAllocPitch_v2
+ 1024000 pitched cuMemAllocPitch_v2
+ 8388608 managed cuMemAllocManaged
- 1048576 device cuMemFree_v2
- 1024000 pitched cuMemFree_v2
- 1024000 pitched cuMemFree_v2
- 8388608 managed cuMemFree_v2
= physical live 0 peak 3096576
= host live 0 peak 8388608
END
done
