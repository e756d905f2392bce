# Stream-ordered memory: what was handed out is the allocator's ledger, what the pool holds the device's.
source "$e2e/coverage/ledger.bash"

row pools default <<'END'
+ 10485760 pool cuMemAllocAsync
+ 10485760 pool cuMemAllocAsync
+ 104857600 pool cuMemAllocAsync
fact reserved 134217728
fact used 125829120
- 10485760 pool cuMemFreeAsync
- 10485760 pool cuMemFreeAsync
- 104857600 pool cuMemFreeAsync
fact reserved 0
fact used 0
= allocator live 0 peak 125829120
END

row pools free-at-once <<'END'
+ 6291456 pool cuMemAllocAsync
- 6291456 pool cuMemFree_v2
= allocator live 0 peak 6291456
END

row pools own <<'END'
+ 5242880 pool cuMemAllocFromPoolAsync
fact reserved 33554432
fact used 5242880
- 5242880 pool cuMemFreeAsync
= allocator live 0 peak 5242880
END

row pools trim <<'END'
+ 67108864 pool cuMemAllocFromPoolAsync
- 67108864 pool cuMemFreeAsync
fact reserved 67108864
fact used 0
fact reserved 0
fact used 0
= allocator live 0 peak 67108864
END

row pools device-pool <<'END'
+ 7340032 pool cuMemAllocAsync
fact reserved 33554432
fact used 7340032
- 7340032 pool cuMemFreeAsync
= allocator live 0 peak 7340032
END

row pools location-pool <<'END'
+ 9437184 pool cuMemAllocAsync
- 9437184 pool cuMemFreeAsync
= allocator live 0 peak 9437184
END

row pools access <<'END'
+ 3145728 pool cuMemAllocFromPoolAsync
- 3145728 pool cuMemFreeAsync
= allocator live 0 peak 3145728
END

row pools destroyed-early <<'END'
+ 11534336 pool cuMemAllocFromPoolAsync
- 11534336 pool cuMemFreeAsync
= allocator live 0 peak 11534336
END

row pools host <<'END'
+ 6291456 pinned cuMemAllocFromPoolAsync
- 6291456 pinned cuMemFreeAsync
= host live 0 peak 6291456
END
report --pools trace.bin
expect_no_match report.txt '33,554,432'

pair pools shared <<'END'
+ 2097152 pool cuMemAllocFromPoolAsync
- 2097152 pool cuMemFreeAsync
= allocator live 0 peak 2097152
importer + 2097152 imported cuMemPoolImportPointer
importer - 2097152 imported cuMemFreeAsync
END

row ptsz pool <<'END'
+ 10485760 pool cuMemAllocAsync_ptsz
+ 5242880 pool cuMemAllocFromPoolAsync_ptsz
- 10485760 pool cuMemFreeAsync_ptsz
- 5242880 pool cuMemFreeAsync_ptsz
= allocator live 0 peak 15728640
END

row runtime_ptsz pools <<'END'
+ 10485760 pool cuMemAllocAsync_ptsz
+ 5242880 pool cuMemAllocFromPoolAsync_ptsz
- 10485760 pool cuMemFreeAsync_ptsz
- 5242880 pool cuMemFreeAsync_ptsz
= allocator live 0 peak 15728640
END

for runtime in "${runtimes[@]}"; do
    row "$runtime" pools <<'END'
+ 10485760 pool cuMemAllocAsync
+ 5242880 pool cuMemAllocFromPoolAsync
- 10485760 pool cuMemFreeAsync
- 5242880 pool cuMemFreeAsync
= allocator live 0 peak 15728640
END
done
