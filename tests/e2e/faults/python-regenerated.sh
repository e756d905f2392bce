# Given Python functions that come and go, one like the other but for a line that moved, when they allocate, then each
# allocation stands at the line that made it; in each CPython of this machine.
sim_only
ran=0
for python in $("$source_root/tests/pythons.sh"); do
    traced "$python" "$e2e/faults/python-regenerated.py"
    expect_equal "$python: exit code" 0 "$status"
    report --dump trace.bin
    # Size and innermost line of each allocation; the functions' files are <… or edited.py.
    sed -n 's/.* allocated .* bytes=\([0-9]*\) .* | .*python-regenerated\.py:[0-9]* call < [^:|]*:\([0-9]*\) step.*/\1 \2/p' \
        report.txt >places
    expect_equal "$python: places" "$(cat out)" "$(wc -l <places)"
    expect_equal "$python: wrong lines" 0 "$(awk '$1 != 1000 + $2' places | wc -l)"
    ran=1
done
[ $ran = 1 ] || skip "no CPython here"
