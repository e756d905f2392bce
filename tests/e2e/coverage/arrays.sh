# Arrays: elements times their size, and beside it what the device took for them.
source "$e2e/coverage/ledger.bash"

row arrays array-1d <<'END'
+ 10000 array cuArrayCreate_v2
fact taken 2097152
- 10000 array cuArrayDestroy
= physical live 0 peak 10000
END

row arrays array-2d <<'END'
+ 16000000 array cuArrayCreate_v2
fact taken 16777216
- 16000000 array cuArrayDestroy
= physical live 0 peak 16000000
END

row arrays array-3d <<'END'
+ 4194304 array cuArray3DCreate_v2
fact taken 4194304
- 4194304 array cuArrayDestroy
= physical live 0 peak 4194304
END

row arrays layered <<'END'
+ 786432 array cuArray3DCreate_v2
fact taken 2097152
- 786432 array cuArrayDestroy
= physical live 0 peak 786432
END

row arrays mipmap <<'END'
+ 5586944 array cuMipmappedArrayCreate
fact taken 6291456
- 5586944 array cuMipmappedArrayDestroy
= physical live 0 peak 5586944
END

for runtime in "${runtimes[@]}"; do
    row "$runtime" arrays <<'END'
+ 16000000 array cuArray3DCreate_v2
+ 4194304 array cuArray3DCreate_v2
+ 5586944 array cuMipmappedArrayCreate
- 16000000 array cuArrayDestroy
- 4194304 array cuArrayDestroy
- 5586944 array cuMipmappedArrayDestroy
= physical live 0 peak 25781248
END
done
