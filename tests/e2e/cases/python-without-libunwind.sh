# Given a machine without libunwind, when a Python program is traced, then the rows name its Python lines all the same,
# and the summary says what is missing.
sim_only
mapfile -t pythons < <("$source_root/tests/pythons.sh")
[ ${#pythons[@]} -gt 0 ] || skip "no CPython on this machine"
mkdir none && echo "no library" >none/libunwind.so.8
program_libraries=$PWD/none:$program_libraries
traced "${pythons[-1]}" "$e2e/programs/python/layers.py" libcudart.so.13
expect_status 0
report --lines trace.bin
expect_match report.txt '^\+ \| 2 \* Size:4096 .* \| cuMemAlloc +\| layers\.py:15 __init__$'
expect_match report.txt '^- \| 2 \* Size:4096 .* \| cuMemFree +\| layers\.py:18 free$'
expect_match report.txt '^At layers\.py line 38: <module> '
report --summary trace.bin
expect_match report.txt '^  call stacks +no native frames: libunwind\.so\.8 was not found$'
