# Memory of graphs: asked for when a node is added or a call captured, taken at upload or first launch, kept until trim.
# The driver counts it as used for as long as it is reserved, whether the graph's nodes or the program freed it or not.
source "$e2e/coverage/ledger.bash"

row graphs nodes <<'END'
~ 67108864 graph cuGraphAddMemAllocNode
+ 67108864 graph cuGraphUpload
fact reserved 67108864
fact used 67108864
fact reserved 67108864
fact used 67108864
- 67108864 graph cuDeviceGraphMemTrim
fact reserved 0
fact used 0
= physical live 0 peak 67108864
END

# row_launched PROGRAM ROW CALL: asked for by CALL, taken by the first launch.
row_launched() {
    row "$1" "$2" <<END
~ 67108864 graph $3
+ 67108864 graph cuGraphLaunch
fact reserved 67108864
fact used 67108864
- 67108864 graph cuDeviceGraphMemTrim
fact reserved 0
fact used 0
= physical live 0 peak 67108864
END
}
row_launched graphs launched cuGraphAddMemAllocNode
row_launched graphs generic-nodes cuGraphAddNode_v2
row_launched graphs captured cuMemAllocAsync
row_launched graphs captured-to-graph cuMemAllocAsync

# Without a free node, until it is freed in stream order.
for how in auto-free freed-outside; do
    row graphs $how <<'END'
~ 67108864 graph cuGraphAddMemAllocNode
+ 67108864 graph cuGraphLaunch
fact reserved 67108864
fact used 67108864
fact reserved 67108864
fact used 67108864
- 67108864 graph cuDeviceGraphMemTrim
fact reserved 0
fact used 0
= physical live 0 peak 67108864
END
done

row ptsz graph <<'END'
~ 33554432 graph cuGraphAddMemAllocNode
+ 33554432 graph cuGraphUpload_ptsz
- 33554432 graph cuDeviceGraphMemTrim
= physical live 0 peak 33554432
END

row ptsz captured <<'END'
~ 33554432 graph cuMemAllocAsync_ptsz
+ 33554432 graph cuGraphLaunch_ptsz
- 33554432 graph cuDeviceGraphMemTrim
= physical live 0 peak 33554432
END

for form in graph-v1 graph-v2; do
    row legacy $form <<'END'
~ 33554432 graph cuGraphAddNode
+ 33554432 graph cuGraphLaunch
- 33554432 graph cuDeviceGraphMemTrim
= physical live 0 peak 33554432
END
done

# A graph that never runs takes nothing.
row legacy captured <<'END'
~ 33554432 graph cuMemAllocAsync
~ 33554432 graph cuMemAllocAsync
END

row runtime_ptsz captured <<'END'
~ 33554432 graph cuMemAllocAsync_ptsz
+ 33554432 graph cuGraphUpload_ptsz
- 33554432 graph cuDeviceGraphMemTrim
= physical live 0 peak 33554432
END

for runtime in "${runtimes[@]}"; do
    row "$runtime" captured <<'END'
~ 33554432 graph cuMemAllocAsync
+ 33554432 graph cuGraphLaunch
- 33554432 graph cuDeviceGraphMemTrim
= physical live 0 peak 33554432
END
done
