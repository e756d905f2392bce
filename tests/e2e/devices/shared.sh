# Memory of another process on another device is never a process's own.
source "$e2e/devices/devices.bash"
need_peers

devices_pair shared exchanged <<'END'
0 + 4194304 device cuMemAlloc_v2
0 + 6291456 imported cuIpcOpenMemHandle_v2
0 - 6291456 imported cuIpcCloseMemHandle
0 - 4194304 device cuMemFree_v2
0 = physical live 0 peak 4194304
importer 1 + 6291456 device cuMemAlloc_v2
importer 1 + 4194304 imported cuIpcOpenMemHandle_v2
importer 1 - 4194304 imported cuIpcCloseMemHandle
importer 1 - 6291456 device cuMemFree_v2
importer 1 = physical live 0 peak 6291456
END

devices_pair shared mapped <<'END'
0 + 8388608 physical cuMemCreate
0 - 8388608 physical cuMemRelease
0 = physical live 0 peak 8388608
importer 1 + 0 imported cuMemImportFromShareableHandle
importer 1 + 8388608 address cuMemAddressReserve
importer 1 - 8388608 address cuMemAddressFree
importer 1 - 0 imported cuMemRelease
END
