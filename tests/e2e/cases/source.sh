# Given a CUDA program and a Python program, when they are traced, then --source shows their own files, wherever the
# report is asked for, with what each line did to memory beside it.
sim_only
export SIMCUDA_KERNELS=off
traced "$samples/train" --layers 1024,1024,1 --steps 2
report --source=train.cu trace.bin
expect_status 0
expect_match report.txt '^ +4\.00 MiB +- +4\.00 MiB +4\.00 MiB +[0-9]+  +TENSOR_ALLOC\(weight->value, '
expect_match report.txt '^ +- +4\.00 MiB +- +- +[0-9]+  +TENSOR_FREE\(p->gradient\);'

libraries=$O/tests/unit/test_torch.libs
python=$("$source_root/tests/pythons.sh" | head -n 1)
[ -n "$python" ] || skip "no CPython on this machine"
traced "$python" "$e2e/programs/python/tensors.py" libcudart.so.13 $libraries/libc10_cuda.so \
    $libraries/libtorch_python.so
report --source trace.bin
expect_match report.txt '/tensors\.py: 204,800 bytes \(200\.0 KiB\) allocated, with what its lines called$'
expect_match report.txt '^ +128\.0 KiB +- +64\.0 KiB +64\.0 KiB +64  +model\.gradient = Tensor\(65536, report=backward\)$'
