# Every way to pin host memory.
source "$e2e/coverage/ledger.bash"

row host alloc-host <<'END'
+ 2097152 pinned cuMemAllocHost_v2
- 2097152 pinned cuMemFreeHost
= host live 0 peak 2097152
END

row host host-alloc <<'END'
+ 1048579 pinned cuMemHostAlloc
+ 4194304 pinned cuMemHostAlloc
- 1048579 pinned cuMemFreeHost
- 4194304 pinned cuMemFreeHost
= host live 0 peak 5242883
END

row host register <<'END'
+ 1048576 registered cuMemHostRegister_v2
- 1048576 registered cuMemHostUnregister
= host live 0 peak 1048576
END

for runtime in "${runtimes[@]}"; do
    row "$runtime" host <<'END'
+ 2097152 pinned cuMemHostAlloc
+ 3145728 pinned cuMemHostAlloc
+ 1048576 registered cuMemHostRegister_v2
- 1048576 registered cuMemHostUnregister
- 2097152 pinned cuMemFreeHost
- 3145728 pinned cuMemFreeHost
= host live 0 peak 6291456
END
done
