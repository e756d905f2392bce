# E3: given 2 * 1024 * 1024 parameters (P = 8388608 bytes), when each optimizer is traced, then parameters, gradients and
# its state are 2 P for SGD, 3 P with momentum and 4 P for AdamW.
[ "$DEVICE" = gpu ] || export SIMCUDA_KERNELS=off
persistent() {
    traced "$samples/train" --layers 1024,1024,1024 --steps 2 --optimizer "$1" --ledger
    expect_status 0
    report --dump trace.bin
    expect_ledger_is_dump
    expect_equal "$1: persistent bytes" "$2" "$(awk '$1 == "+" &&
        $4 ~ /^(parameters|gradients|momentum|moments)_create$/ { sum += $2 } END { print sum }' dump.events)"
    report --lines trace.bin
    golden "e03-$1-lines"
}
persistent sgd 16777216
persistent momentum 25165824
persistent adamw 33554432
