# Given an allocation under 40 Python calls with C code between them, when it is traced, then its stack holds every one
# of them: a native stack that is cut short at the interpreter loop loses no Python frame; and when
# twenty frames are wanted, then it has no more.
mapfile -t pythons < <("$source_root/tests/pythons.sh")
[ ${#pythons[@]} -gt 0 ] || skip "no CPython on this machine"
for python in "${pythons[@]}"; do
    traced "$python" "$e2e/programs/python/deep.py" libcudart.so.13
    expect_status 0
    report --dump trace.bin
    grep ' allocated cuMemAlloc_v2 ' report.txt >allocated.txt
    expect_equal "$python: frames of descend" 41 "$(grep -o 'deep.py:[0-9]* descend' allocated.txt | wc -l)"
    expect_match allocated.txt 'deep.py:13 descend < deep.py:11 descend .* < deep.py:16 <module>'

    MEMTRACE_STACKS=20 traced "$python" "$e2e/programs/python/deep.py" libcudart.so.13
    expect_status 0
    report --dump trace.bin
    grep ' allocated cuMemAlloc_v2 ' report.txt >allocated.txt
    expect_match allocated.txt 'deep.py:13 descend < deep.py:11 descend'
    frames=$(grep -o 'deep.py:[0-9]* ' allocated.txt | wc -l)
    ((frames < 20)) || fail "$python: $frames frames of Python, and others, where 20 were wanted"
done
