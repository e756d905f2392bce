# Given the training sample with each optimizer and allocator, when it is traced, then the report's events are the
# sample's own ledger, event for event: same bytes, same line, same function.
run() {
    traced "$samples/train" --ledger "$@"
    expect_status 0
    expect_equal "stderr of train $*" "" "$(cat err)"
    report --dump trace.bin
    expect_status 0
    expect_ledger_is_dump
}
[ "$DEVICE" = gpu ] || export SIMCUDA_KERNELS=off

for optimizer in sgd momentum adamw; do run --optimizer $optimizer --steps 3; done
for allocator in async pool; do run --allocator $allocator --steps 3; done
run --layers 64,128,32,10 --batch 32 --accumulate 4 --bias --loss xent --inplace-relu --steps 2
run --no-grad --steps 3
run --keep-loss --steps 5
run --oom --steps 3
