# Given a program whose device memory is mostly taken by a context, code, local memory and a printf buffer, when it is
# traced, then --hidden accounts for all of it, call by call, and what it adds up to is what the device said itself, or
# what NVML said of this process where the report says that it asked NVML.
export SIMCUDA_HIDDEN_MODULE=90MiB

# row LABEL: the bytes in the last table's row of that label, as a plain number.
row() {
    awk -v label=" $1\$" '$0 ~ label { bytes = $1 } END { gsub(",", "", bytes); print bytes }' report.txt
}

for MEMTRACE_FEED in cupti hooks; do
    export MEMTRACE_FEED
    rm -f trace.*
    traced "$programs/hidden"
    expect_status 0
    report --hidden trace.bin
    source=used
    ! grep -q '^  This process alone' report.txt || source=own
    used=$(sed -n "s/^$source //p" out)
    expect_equal "in use" "$used" "$(row 'in use')"
    unexplained=$(row unexplained)
    [ "${unexplained#-}" -le 4194304 ] || [ $((${unexplained#-} * 100)) -le "$used" ] ||
        fail "unexplained: $unexplained bytes of $used"
    expect_match report.txt ' hidden\.cu:[0-9]+ main: context, by cudaFree$'
    expect_match report.txt ' hidden\.cu:[0-9]+ launch: first launch of spill$'
    [ "$DEVICE" = gpu ] || golden hidden
done
