#!/usr/bin/env bash
# Runs test_python_frames.py, and the program that embeds Python, for every CPython of this machine; a version without
# one is a skipped test. Prints TAP. Started in the source folder, from the build folder where its libraries lie.
set -u
built=$(dirname "$(realpath "$0")")
status=0
versions=

for python in $(tests/pythons.sh); do
    versions+=" $("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])') "
    "$python" tests/unit/test_python_frames.py "$built/libpython_probe.so" || status=1
    "$built/embed_python" "$python" || status=1
done
for version in 3.9 3.10 3.11 3.12 3.13 3.14; do
    [[ $versions == *" $version "* ]] || printf '1..1\nok 1 - CPython %s # SKIP not on this machine\n' "$version"
done
exit $status
