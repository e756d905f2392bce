# Given a Python program that allocates in methods, generators, comprehensions and callbacks, when it is traced under each
# CPython of the machine, then every row names the Python line that asked, and the report is the same for all.
mapfile -t pythons < <("$source_root/tests/pythons.sh")
[ ${#pythons[@]} -gt 0 ] || skip "no CPython on this machine"
for python in "${pythons[@]}"; do
    traced "$python" "$e2e/programs/python/layers.py" libcudart.so.13
    expect_status 0
    expect_lines err 0
    report --summary trace.bin
    expect_match report.txt "^  Python +$("$python" -c 'import platform; print(platform.python_version())')\$"
    report --lines trace.bin
    golden python-lines
done
