# Given a caching allocator that reports its blocks as PyTorch does, when it is traced, then the blocks are tensors inside
# its segment, with the Python lines that asked for them, its report of no memory left is a failed request, and who called
# backward() is known; when it is traced by CUDA_INJECTION64_PATH alone, then the report says why there are no tensors.
libraries=$O/tests/unit/test_torch.libs
mapfile -t pythons < <("$source_root/tests/pythons.sh")
[ ${#pythons[@]} -gt 0 ] || skip "no CPython on this machine"
for python in "${pythons[@]}"; do
    traced "$python" "$e2e/programs/python/tensors.py" libcudart.so.13 $libraries/libc10_cuda.so \
        $libraries/libtorch_python.so
    expect_status 0
    expect_lines err 0
    report --ledger trace.bin
    expect_equal ledger "+ 2097152 device cuMemAlloc_v2
+ 65536 tensor torch malloc
+ 4096 tensor torch malloc
+ 65536 tensor torch malloc
- 4096 tensor torch free
+ 4096 tensor torch malloc
- 65536 tensor torch free
+ 65536 tensor torch malloc
- 4096 tensor torch free
- 65536 tensor torch free
- 65536 tensor torch free
- 2097152 device cuMemFree_v2
= physical live 0 peak 2097152
= allocator live 0 peak 135168" "$(cat report.txt)"
    report --lines trace.bin
    golden python-tensors
    report --summary trace.bin
    expect_match report.txt '^  torch out of memory of 1,099,511,627,776 bytes'
    expect_match report.txt '^    at tensors.py:70 <module>'
    expect_match report.txt '^    the allocator held 2,097,152 bytes \(2\.00 MiB\), of which 1,966,080 bytes \(1\.88 MiB\) were cached and free'
    expect_match report.txt '^ +65,536 +64\.0 KiB  tensors\.py:35 backward \(MmBackward0\)'
    report --dump trace.bin
    expect_match report.txt 'backward torch backward .* < tensors.py:64 train < tensors.py:69 <module>'

    attach=injection
    traced "$python" "$e2e/programs/python/tensors.py" libcudart.so.13 $libraries/libc10_cuda.so \
        $libraries/libtorch_python.so
    attach=preload
    report trace.bin
    expect_match report.txt "^Incomplete: PyTorch was in the process, but its tensors were not seen: LD_PRELOAD is needed for that"
done
