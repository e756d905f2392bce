# HAMi-core#96, #217: each path of asynchronous allocation is counted exactly once. NVBit#134, ucx#6038: the static
# runtime, which finds the driver by dlopen and cuGetProcAddress, is traced in every feed.
source "$e2e/coverage/ledger.bash"

for program in "${runtimes[@]}"; do
    row "$program" pools <<'END'
+ 10485760 pool cuMemAllocAsync
+ 5242880 pool cuMemAllocFromPoolAsync
- 10485760 pool cuMemFreeAsync
- 5242880 pool cuMemFreeAsync
= allocator live 0 peak 15728640
END
done
