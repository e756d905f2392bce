# pytorch#117935, TensorRT-LLM#9073: another tool holds CUPTI, or takes it in mid-run: it is served as if it were alone,
# and the trace is whole.
source "$e2e/coverage/ledger.bash"
coverage=$public

row subscriber before <<'END'
+ 1048576 device cuMemAlloc_v2
- 1048576 device cuMemFree_v2
+ 2097152 device cuMemAlloc_v2
- 2097152 device cuMemFree_v2
fact seen 2
= physical live 0 peak 2097152
END

row subscriber between <<'END'
+ 1048576 device cuMemAlloc_v2
- 1048576 device cuMemFree_v2
+ 2097152 device cuMemAlloc_v2
- 2097152 device cuMemFree_v2
+ 3145728 device cuMemAlloc_v2
- 3145728 device cuMemFree_v2
fact seen 2
= physical live 0 peak 3145728
END
