#!/usr/bin/env bash
# Runs test_python_frames.py under every CPython of this machine: those of PATH, of pyenv, and in $MEMTRACE_PYTHONS. A
# version without one is a skipped test. Prints TAP; stands in the build folder beside the libraries that it uses.
set -u
here=$(dirname "$(realpath "$0")")
script=$(realpath "$here/../../../tests/unit/test_python_frames.py")
[ -e "$script" ] || script=$PWD/tests/unit/test_python_frames.py
library=$here/libpython_probe.so
status=0

interpreters() {
    local root
    printf '%s\n' ${MEMTRACE_PYTHONS:-}
    for root in "${PYENV_ROOT:-$HOME/.pyenv}" /opt/pyenv; do
        printf '%s\n' "$root"/versions/*/bin/python3
    done
    IFS=:
    for root in $PATH; do
        printf '%s\n' "$root"/python3 "$root"/python3.{9,10,11,12,13,14}
    done
}

# One path an executable; scripts that choose a version (pyenv's shims) are none.
declare -A seen=()
while read -r python; do
    [ -x "$python" ] || continue
    real=$(realpath "$python")
    [ "$(head -c 4 "$real" | tr -d '\0')" = $'\177ELF' ] || continue
    [ -z "${seen[$real]:-}" ] || continue
    version=$("$real" -c 'import sys, ctypes; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    case $version in 3.9 | 3.1[0-9]) ;; *) continue ;; esac
    seen[$real]=$version
    "$real" "$script" "$library" || status=1
    "$here/embed_python" "$real" || status=1
done < <(interpreters)

for version in 3.9 3.10 3.11 3.12 3.13 3.14; do
    case " ${seen[*]:-} " in
    *" $version "*) ;;
    *) printf '1..1\nok 1 - CPython %s # SKIP not on this machine\n' "$version" ;;
    esac
done
exit $status
