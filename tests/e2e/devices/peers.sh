# Memory that two devices use is counted once, on the device that has it.
source "$e2e/devices/devices.bash"
need_peers

devices peers copies <<'END'
0 + 4194304 device cuMemAlloc_v2
1 + 4194304 device cuMemAlloc_v2
1 - 4194304 device cuMemFree_v2
0 - 4194304 device cuMemFree_v2
0 = physical live 0 peak 4194304
1 = physical live 0 peak 4194304
END

devices peers foreign-pool <<'END'
1 + 8388608 pool cuMemAllocFromPoolAsync
1 + 8388608 pool cuMemAllocFromPoolAsync
1 - 8388608 pool cuMemFreeAsync
1 - 8388608 pool cuMemFreeAsync
1 = allocator live 0 peak 16777216
END

devices peers foreign-pool-kept <<'END'
1 + 8388608 pool cuMemAllocFromPoolAsync
1 - 8388608 pool cuMemFreeAsync
1 = allocator live 0 peak 8388608
END

devices peers graph <<'END'
1 ~ 67108864 graph cuGraphAddMemAllocNode
1 + 67108864 graph cuGraphLaunch
1 - 67108864 graph cuDeviceGraphMemTrim
1 = physical live 0 peak 67108864
END

devices peers mapped-for-both <<'END'
0 + 8388608 physical cuMemCreate
0 + 8388608 address cuMemAddressReserve
1 + 8388608 physical cuMemCreate
0 + 8388608 address cuMemAddressReserve
0 - 8388608 physical cuMemRelease
1 - 8388608 physical cuMemUnmap
0 - 8388608 address cuMemAddressFree
0 - 8388608 address cuMemAddressFree
0 = physical live 0 peak 8388608
1 = physical live 0 peak 8388608
END

# What is printed may be read by people as well: a device each, and what was there at its peak.
MEMTRACE_FEED=cupti run_row peers copies
report --peak trace.bin
for device in 0 1; do
    expect_match report.txt "^Device $device .*4,194,304 bytes"
done

# All device memory of both: no more than 4 MiB or 1 % is left unexplained, at the peak and at the end.
report --hidden trace.bin
expect_equal "devices reconciled" "0 0 1 1" "$(awk '/^Device/ { print $2 }' report.txt | paste -sd ' ')"
awk '{ bytes = $1; gsub(/[,-]/, "", bytes) }
    / unexplained$/ { unexplained = bytes }
    / in use$/ { moments++; if (unexplained > 4 * 2 ^ 20 && unexplained > bytes / 100) bad++ }
    END { exit bad || moments != 4 }' report.txt || { cat report.txt && fail "too much is unexplained"; }
