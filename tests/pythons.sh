#!/usr/bin/env bash
# Lists the CPythons of this machine that the tracer knows (3.9 to 3.14) and that have ctypes: those in
# $MEMTRACE_PYTHONS, of pyenv, and of PATH. One path an executable; scripts that choose a version (pyenv's shims) are none.
set -u

candidates() {
    local folder IFS=$' \n:'
    printf '%s\n' ${MEMTRACE_PYTHONS:-} "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3
    for folder in $PATH; do
        printf '%s\n' "$folder"/python3 "$folder"/python3.{9,10,11,12,13,14}
    done
}

declare -A seen=()
while read -r python; do
    [ -x "$python" ] || continue
    python=$(realpath "$python")
    [ -z "${seen[$python]:-}" ] && [ "$(head -c 4 "$python" | tr -d '\0')" = $'\177ELF' ] || continue
    seen[$python]=1
    version=$("$python" -c 'import sys, ctypes; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    case $version in 3.9 | 3.1[0-4]) echo "$python" ;; esac
done < <(candidates)
