# The ordinal that a program sees is its own; the UUID says which GPU it is, and the report shows both.
source "$e2e/devices/devices.bash"
if [ "$DEVICE" = sim ]; then
    expect_equal "devices" "GPU-73696d75-6c61-7465-642d-6770752d0000 GPU-73696d75-6c61-7465-642d-6770752d0001 \
GPU-73696d75-6c61-7465-642d-6770752d0002 GPU-73696d75-6c61-7465-642d-6770752d0003" "${uuids[*]}"
else
    expect_equal "devices" "$(nvidia-smi --query-gpu=uuid --format=csv,noheader)" "$(printf '%s\n' "${uuids[@]}")"
fi

# sees VALUE UUID...: with CUDA_VISIBLE_DEVICES=VALUE the program sees these devices in this order, and works on the
# first of them, as its device 0.
sees() {
    local value=$1
    shift
    rm -f trace.bin
    CUDA_VISIBLE_DEVICES=$value traced "$coverage/visible"
    expect_status 0
    expect_equal "$value: the program's devices" "$*" "$(awk '$1 == "device" { print $3 }' out | paste -sd ' ')"
    report --summary trace.bin
    expect_status 0
    expect_equal "$value: the report's devices" "$*" \
        "$(sed -n 's/^  GPU [0-9] .*, \(GPU-[-0-9a-f]*\)$/\1/p' report.txt | paste -sd ' ')"
    expect_match report.txt "^  visible devices +$value\$"
    expect_match report.txt "^Device 0 "
    expect_no_match report.txt "^Device 1 "
    report --ledger --device=0 trace.bin
    expect_equal "$value: the ledger" "+ 3145728 device cuMemAlloc_v2
- 3145728 device cuMemFree_v2
+ 5242880 device cuMemAlloc_v2
= physical live 5242880 peak 5242880" "$(cat report.txt)"
}

for MEMTRACE_FEED in "${feeds[@]}"; do
    export MEMTRACE_FEED
    each sees 1 "${uuids[1]}"
    each sees "${uuids[1]}" "${uuids[1]}"
    each sees 1,0 "${uuids[1]}" "${uuids[0]}"
done
