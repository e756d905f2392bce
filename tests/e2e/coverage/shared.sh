# Memory of another process: never the importer's own, and counted once, where it was made.
source "$e2e/coverage/ledger.bash"

for order in closed-first held; do
    pair ipc $order <<'END'
+ 4194304 device cuMemAlloc_v2
- 4194304 device cuMemFree_v2
= physical live 0 peak 4194304
importer + 4194304 imported cuIpcOpenMemHandle_v2
importer - 4194304 imported cuIpcCloseMemHandle
END
done

for row in buffer mipmap; do
    row external $row <<'END'
+ 8388608 physical cuMemCreate
+ 8388608 imported cuImportExternalMemory
- 8388608 imported cuDestroyExternalMemory
- 8388608 physical cuMemRelease
= physical live 0 peak 8388608
END
done
