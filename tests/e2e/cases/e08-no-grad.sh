# E8: given a forward of batch 8192, when it is traced with gradients and without, then 32 MiB are kept or none; the peak is 64 MiB
# above what there was before, in both.
[ "$DEVICE" = gpu ] || export SIMCUDA_KERNELS=off
for grad in "" --no-grad; do
    traced "$samples/train" --layers 1024,1024,1 --batch 8192 --steps 1 $grad --ledger
    expect_status 0
    report --dump trace.bin
    expect_ledger_is_dump
    expect_events 1 + 33554432 relu
    report --lines trace.bin
    golden "e08${grad#--no}-lines"
done
