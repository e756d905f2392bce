# The implicit ends: memory that goes without a call that names it.
source "$e2e/coverage/ledger.bash"

row contexts destroyed <<'END'
+ 20971520 device cuMemAlloc_v2
- 20971520 device cuCtxDestroy_v2
= physical live 0 peak 20971520
END

row contexts two <<'END'
+ 4194304 device cuMemAlloc_v2
+ 6291456 device cuMemAlloc_v2
- 4194304 device cuCtxDestroy_v2
- 6291456 device cuMemFree_v2
= physical live 0 peak 10485760
END

row contexts primary-reset <<'END'
+ 12582912 device cuMemAlloc_v2
- 12582912 device cuDevicePrimaryCtxReset_v2
= physical live 0 peak 12582912
END

row contexts primary-release <<'END'
+ 16777216 device cuMemAlloc_v2
+ 2097152 device cuMemAlloc_v2
- 16777216 device cuDevicePrimaryCtxRelease_v2
- 2097152 device cuDevicePrimaryCtxRelease_v2
= physical live 0 peak 18874368
END

row contexts everything <<'END'
+ 1048576 device cuMemAlloc_v2
+ 2097152 pool cuMemAllocAsync
+ 4194304 pinned cuMemHostAlloc
- 1048576 device cuDevicePrimaryCtxReset_v2
- 2097152 pool cuDevicePrimaryCtxReset_v2
- 4194304 pinned cuDevicePrimaryCtxReset_v2
= physical live 0 peak 1048576
= allocator live 0 peak 2097152
= host live 0 peak 4194304
END

row contexts exit <<'END'
+ 3145728 device cuMemAlloc_v2
= physical live 3145728 peak 3145728
END

row contexts limits <<'END'
+ 1048576 device cuMemAlloc_v2
- 1048576 device cuMemFree_v2
= physical live 0 peak 1048576
END

row contexts streams <<'END'
+ 2097152 device cuMemAlloc_v2
- 2097152 device cuMemFree_v2
= physical live 0 peak 2097152
END

row contexts green <<'END'
+ 5242880 device cuMemAlloc_v2
- 5242880 device cuMemFree_v2
= physical live 0 peak 5242880
END

for runtime in "${runtimes[@]}"; do
    row "$runtime" reset <<'END'
+ 6291456 device cuMemAlloc_v2
- 6291456 device cuDevicePrimaryCtxReset
+ 1048576 device cuMemAlloc_v2
- 1048576 device cuMemFree_v2
= physical live 0 peak 6291456
END
done
