# Given a program that loads Python after cuInit, then the calls that Python makes stand at Python's lines.
sim_only
ran=0
for python in $("$source_root/tests/pythons.sh"); do
    python_library=$("$python" -c 'import sysconfig as s; print(s.get_config_var("LIBDIR") + "/" + s.get_config_var("INSTSONAME"))')
    [[ $python_library == *.so* && -e $python_library ]] || continue
    for MEMTRACE_FEED in hooks cupti; do
        export MEMTRACE_FEED
        PYTHONHOME=$("$python" -c 'import sys; print(sys.base_prefix)') traced "$O/tests/e2e/faults/python-late" "$python_library"
        expect_equal "$python: exit code" 0 "$status"
        report --dump trace.bin
        expect_equal "$python: allocations" 2 "$(allocations_of 1000)"
        expect_match report.txt 'bytes=1000 .* < [^<]*<string>:4 step < '
        rm trace.bin
    done
    ran=1
done
[ $ran = 1 ] || skip "no library of CPython here"
