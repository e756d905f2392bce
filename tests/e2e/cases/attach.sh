# Given the training sample with the CUDA runtime as a shared library and linked into it, when it is traced by LD_PRELOAD
# and by CUDA_INJECTION64_PATH alone, then all four reports are the same.
[ "$DEVICE" = sim ] && static=$samples/train-simstatic || static=$samples/train-static
for program in "$samples/train" "$static"; do
    for attach in preload injection; do
        traced "$program" --layers 1024,1024 --batch 1 --steps 3 --optimizer adamw --ledger
        expect_status 0
        expect_equal "stderr of $program by $attach" "" "$(cat err)"
        report --dump trace.bin
        expect_ledger_is_dump
        report --lines trace.bin
        golden e01-lines
    done
done
