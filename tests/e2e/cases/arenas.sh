# Given a Python program whose framework keeps an arena of its own, when it is traced, then the arena is named by the
# library that took it, buffers taken one by one stand at their lines, and so does what XLA tries out on other threads
# while it compiles.
mapfile -t pythons < <("$source_root/tests/pythons.sh")
[ ${#pythons[@]} -gt 0 ] || skip "no CPython on this machine"
for python in "${pythons[@]}"; do
    traced "$python" "$e2e/programs/python/arenas.py" libcudart.so.13 $O/tests/fakes/site-packages/xla_cuda_plugin.so
    expect_status 0
    expect_lines err 0
    report trace.bin
    golden arenas
done
report --peak --by module trace.bin
expect_match report.txt '^ +104,857,600 .* 2  xla_cuda_plugin\.so$'
report --hidden trace.bin
expect_match report.txt '^ +100,663,296 .* 1  arenas\.py:39 <module> \(xla_cuda_plugin\.so\): cuMemCreate$'
report --pools trace.bin
expect_match report.txt '^ +3,145,728 .* 1  handed out, in blocks$'
sed -n '/at exit/,$p' report.txt >exit.txt
expect_match exit.txt '^ +400 .* 1  handed out, in blocks$'
report --dump trace.bin
expect_match report.txt ' called cuMemSetAccess address=0x[0-9a-f]+ bytes=4194304 device=0 '
expect_no_match report.txt ' lost '
