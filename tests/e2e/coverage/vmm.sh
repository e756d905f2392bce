# Virtual memory management: physical memory ends with its last reference or mapping, wherever that is.
source "$e2e/coverage/ledger.bash"

row vmm basic <<'END'
+ 16777216 address cuMemAddressReserve
+ 8388608 physical cuMemCreate
- 8388608 physical cuMemRelease
- 16777216 address cuMemAddressFree
= physical live 0 peak 8388608
END

for order in released-first retained; do
    row vmm $order <<'END'
+ 8388608 address cuMemAddressReserve
+ 8388608 physical cuMemCreate
- 8388608 physical cuMemUnmap
- 8388608 address cuMemAddressFree
= physical live 0 peak 8388608
END
done

row vmm retained-longer <<'END'
+ 8388608 address cuMemAddressReserve
+ 8388608 physical cuMemCreate
- 8388608 physical cuMemRelease
- 8388608 address cuMemAddressFree
= physical live 0 peak 8388608
END

row vmm mapped-twice <<'END'
+ 16777216 address cuMemAddressReserve
+ 8388608 physical cuMemCreate
- 8388608 physical cuMemUnmap
- 16777216 address cuMemAddressFree
= physical live 0 peak 8388608
END

row vmm unmapped-together <<'END'
+ 16777216 address cuMemAddressReserve
+ 8388608 physical cuMemCreate
+ 8388608 physical cuMemCreate
- 8388608 physical cuMemUnmap
- 8388608 physical cuMemUnmap
- 16777216 address cuMemAddressFree
= physical live 0 peak 16777216
END

# What a process imports of itself is the same memory: one more reference if its handle is the same (as on the simulated
# device), else memory that is not owned twice.
plain "$coverage/vmm" imported-back
if grep -q imported out; then
    row vmm imported-back <<'END'
+ 8388608 physical cuMemCreate
+ 0 imported cuMemImportFromShareableHandle
- 0 imported cuMemRelease
- 8388608 physical cuMemRelease
= physical live 0 peak 8388608
END
else
    row vmm imported-back <<'END'
+ 8388608 physical cuMemCreate
- 8388608 physical cuMemRelease
= physical live 0 peak 8388608
END
fi

pair vmm shared <<'END'
+ 8388608 physical cuMemCreate
- 8388608 physical cuMemRelease
= physical live 0 peak 8388608
importer + 0 imported cuMemImportFromShareableHandle
importer + 8388608 address cuMemAddressReserve
importer - 8388608 address cuMemAddressFree
importer - 0 imported cuMemRelease
END

for program in vmm ptsz; do
    row $program sparse-array <<'END'
+ 8388608 physical cuMemCreate
- 8388608 physical cuMemRelease
= physical live 0 peak 8388608
END
done
