#!/usr/bin/env bash
# Checks that what a build needs is on this machine, and installs the Debian or Ubuntu packages that are missing.
# Quick when all is there. What it cannot install (the CUDA toolkit), it names, with what to do about it.
#   scripts/deps.sh build    what `make all` and `make test` need (the default)
#   scripts/deps.sh lint     what `make lint` and `make format` need besides
set -u
cuda=${CUDA:-/usr/local/cuda}

has_command() { command -v "$1" >/dev/null 2>&1; }
has_header() { printf '#include <stddef.h>\n#include <stdint.h>\n#include <stdarg.h>\n#include <setjmp.h>\n#include <%s>\n' "$1" |
    cc -E -x c - >/dev/null 2>&1; }

# package, then the command or header that proves it is there
build_needs='
make           command make
gcc            command cc
g++            command c++
binutils       command readelf
libc6-dev      header  stdio.h
libelf-dev     header  libelf.h
libdw-dev      header  elfutils/libdw.h
uthash-dev     header  uthash.h
libcmocka-dev  header  cmocka.h
libiberty-dev  header  libiberty/demangle.h
zlib1g-dev     header  zlib.h
'
lint_needs='
clang          command clang
clang-format   command clang-format
cppcheck       command cppcheck
'

missing_packages() {
    while read -r package kind probe; do
        [ -n "$package" ] || continue
        "has_$kind" "$probe" || echo "$package"
    done
}

install_packages() {
    local as_root=
    if ! has_command apt-get; then
        echo "deps: missing, by their Debian names: $*" >&2
        echo "deps: no apt-get here; install them with this system's package manager, then run this again" >&2
        return 1
    fi
    if [ "$(id -u)" != 0 ]; then
        if ! sudo -n true 2>/dev/null; then
            echo "deps: missing, and not root: run   sudo apt-get install $*" >&2
            return 1
        fi
        as_root=sudo
    fi
    echo "deps: installing $*"
    export DEBIAN_FRONTEND=noninteractive
    $as_root apt-get update -qq || echo "deps: apt-get update failed; trying with the package lists at hand" >&2
    $as_root apt-get install -y -qq --no-install-recommends "$@" >/dev/null && return 0
    echo "deps: apt-get could not install: $*" >&2
    return 1
}

check_cuda() {
    local absent=()
    [ -x "$cuda/bin/nvcc" ] || absent+=(bin/nvcc)
    [ -f "$cuda/include/cuda.h" ] || absent+=(include/cuda.h)
    [ -f "$cuda/include/cupti.h" ] || [ -f "$cuda/extras/CUPTI/include/cupti.h" ] || absent+=(include/cupti.h)
    [ ${#absent[@]} = 0 ] && return 0
    echo "deps: no complete CUDA toolkit in $cuda (missing: ${absent[*]}), and it cannot be installed from here." >&2
    echo "deps: install CUDA 11.8 or later with its CUPTI from https://developer.nvidia.com/cuda-downloads," >&2
    echo "deps: or say where it is:  make CUDA=/path/to/cuda" >&2
    return 1
}

case ${1:-build} in
build) needs=$build_needs ;;
lint) needs=$lint_needs ;;
*) echo "usage: scripts/deps.sh [build|lint]" >&2 && exit 1 ;;
esac

status=0
mapfile -t missing < <(missing_packages <<<"$needs")
if [ ${#missing[@]} != 0 ]; then
    install_packages "${missing[@]}" || status=1
    mapfile -t missing < <(missing_packages <<<"$needs")
    [ ${#missing[@]} = 0 ] || { echo "deps: still missing: ${missing[*]}" >&2 && status=1; }
fi
[ "${1:-build}" != build ] || check_cuda || status=1
exit $status
