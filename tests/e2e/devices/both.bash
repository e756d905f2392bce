# The rows of both.c, for the cases that run it with one runtime or the other: each device has its own ledgers,
# whichever is current when memory comes and goes. Sourced after devices.bash with $program set.
devices "$program" each-its-own <<'END'
0 + 1048576 device cuMemAlloc_v2
1 + 2097152 device cuMemAlloc_v2
0 + 4194304 device cuMemAlloc_v2
0 - 4194304 device cuMemFree_v2
0 - 1048576 device cuMemFree_v2
1 - 2097152 device cuMemFree_v2
0 = physical live 0 peak 5242880
1 = physical live 0 peak 2097152
END

devices "$program" freed-elsewhere <<'END'
0 + 3145728 device cuMemAlloc_v2
1 + 5242880 device cuMemAlloc_v2
0 - 3145728 device cuMemFree_v2
1 - 5242880 device cuMemFree_v2
0 = physical live 0 peak 3145728
1 = physical live 0 peak 5242880
END

devices "$program" one-reset <<'END'
0 + 2097152 device cuMemAlloc_v2
1 + 6291456 device cuMemAlloc_v2
1 - 6291456 device cuDevicePrimaryCtxReset
0 - 2097152 device cuMemFree_v2
0 = physical live 0 peak 2097152
1 = physical live 0 peak 6291456
END

devices "$program" default-pools <<'END'
0 + 10485760 pool cuMemAllocAsync
1 + 20971520 pool cuMemAllocAsync
0 - 10485760 pool cuMemFreeAsync
1 - 20971520 pool cuMemFreeAsync
0 = allocator live 0 peak 10485760
1 = allocator live 0 peak 20971520
END

devices "$program" foreign-stream <<'END'
0 + 1048576 device cuMemAlloc_v2
0 + 3145728 pool cuMemAllocAsync
1 + 5242880 pool cuMemAllocAsync
0 - 3145728 pool cuMemFreeAsync
0 - 1048576 device cuDevicePrimaryCtxReset
1 - 5242880 pool cuMemFreeAsync
0 = physical live 0 peak 1048576
0 = allocator live 0 peak 3145728
1 = allocator live 0 peak 5242880
END

devices "$program" a-thread-each <<'END'
0 + 7340032 device cuMemAlloc_v2
1 + 9437184 device cuMemAlloc_v2
1 - 9437184 device cuMemFree_v2
0 - 7340032 device cuMemFree_v2
0 = physical live 0 peak 7340032
1 = physical live 0 peak 9437184
END
