# The old forms of entry points, as old binaries call them. Those that today's drivers no longer serve are skipped.
source "$e2e/coverage/ledger.bash"

row legacy alloc-32 <<'END'
+ 1048576 device cuMemAlloc
- 1048576 device cuMemFree
= physical live 0 peak 1048576
END

row legacy pitch-32 <<'END'
+ 1024000 pitched cuMemAllocPitch
- 1024000 pitched cuMemFree
= physical live 0 peak 1024000
END

row legacy alloc-host <<'END'
+ 1048576 pinned cuMemAllocHost
- 1048576 pinned cuMemFreeHost
= host live 0 peak 1048576
END

row legacy register <<'END'
+ 1048576 registered cuMemHostRegister
- 1048576 registered cuMemHostUnregister
= host live 0 peak 1048576
END

row legacy array-32 <<'END'
+ 16384 array cuArrayCreate
- 16384 array cuArrayDestroy
= physical live 0 peak 16384
END

row legacy array-3d-32 <<'END'
+ 65536 array cuArray3DCreate
- 65536 array cuArrayDestroy
= physical live 0 peak 65536
END

pair legacy shared <<'END'
+ 4194304 device cuMemAlloc_v2
- 4194304 device cuMemFree_v2
= physical live 0 peak 4194304
importer + 4194304 imported cuIpcOpenMemHandle
importer - 4194304 imported cuIpcCloseMemHandle
END

# What the driver refuses in a context of the first form, it refuses without the tracer.
plain "$coverage/legacy" context-v1
expect_status 0
sed -n 's/^ledger //p' out >untraced
[ "$DEVICE" = gpu ] || expect_equal "context-v1 untraced" "! 1048576 device cuMemAlloc_v2 201" "$(cat untraced)"
row legacy context-v1 <untraced

row legacy destroyed-v1 <<'END'
+ 1048576 device cuMemAlloc_v2
- 1048576 device cuCtxDestroy
= physical live 0 peak 1048576
END

row legacy detached <<'END'
+ 1048576 device cuMemAlloc_v2
- 1048576 device cuCtxDetach
= physical live 0 peak 1048576
END

row legacy attached <<'END'
+ 3145728 device cuMemAlloc_v2
- 3145728 device cuMemFree_v2
+ 1048576 device cuMemAlloc_v2
- 1048576 device cuCtxDetach
= physical live 0 peak 3145728
END

for form in context-v2 context-v3; do
    row legacy $form <<'END'
+ 1048576 device cuMemAlloc_v2
- 1048576 device cuCtxDestroy_v2
= physical live 0 peak 1048576
END
done

row legacy primary-reset <<'END'
+ 2097152 device cuMemAlloc_v2
- 2097152 device cuDevicePrimaryCtxReset
= physical live 0 peak 2097152
END

row legacy primary-release <<'END'
+ 2097152 device cuMemAlloc_v2
- 2097152 device cuDevicePrimaryCtxRelease
= physical live 0 peak 2097152
END
