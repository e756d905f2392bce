#!/usr/bin/env bash
# Checks that what a build needs is on this machine, and installs the Debian or Ubuntu packages that are missing.
# Quick when all is there. What it cannot install (the CUDA toolkit), it names, with what to do about it.
#   scripts/deps.sh install  what `make install` needs
#   scripts/deps.sh build    what `make all` and `make test` need besides (the default)
#   scripts/deps.sh cross    what tests/aarch64.sh needs besides
#   scripts/deps.sh lint     what `make lint` and `make format` need
set -u
cuda=${CUDA:-/usr/local/cuda}
oldest_cuda=11080 # as cuda.h writes 11.8

has_command() { command -v "$1" >/dev/null 2>&1; }
has_header() { printf '#include <stddef.h>\n#include <stdint.h>\n#include <stdarg.h>\n#include <setjmp.h>\n#include <%s>\n' "$1" |
    cc -E -x c - >/dev/null 2>&1; }
has_module() { python3 -c "import $1" >/dev/null 2>&1; }

# package, then the command, header or Python module that proves it is there
install_needs='
make           command make
gcc            command cc
g++            command c++
binutils       command strip
libc6-dev      header  stdio.h
libdw-dev      header  elfutils/libdw.h
uthash-dev     header  uthash.h
'
test_needs='
libcmocka-dev  header  cmocka.h
python3        module  ctypes
'
cross_needs='
gcc-aarch64-linux-gnu command aarch64-linux-gnu-gcc
g++-aarch64-linux-gnu command aarch64-linux-gnu-g++
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

# Prints what goes wrong in one line, not what apt-get says of each server.
install_packages() {
    local as_root='' answer='' offline='' by_hand="apt-get install --no-install-recommends $*"
    echo "deps: missing: $*"
    if ! has_command apt-get; then
        echo "deps: these are Debian's names, and no apt-get is here: install them with this system's package manager" >&2
        return 1
    fi
    if [ "$(id -u)" != 0 ]; then
        if ! sudo -n true 2>/dev/null; then
            echo "deps: not root: run   sudo $by_hand" >&2
            return 1
        fi
        as_root=sudo
    fi
    echo "deps: installing them with apt-get"
    export DEBIAN_FRONTEND=noninteractive
    answer=$($as_root apt-get update -qq 2>&1) && ! grep -q 'Failed to fetch' <<<"$answer" || offline=1
    answer=$($as_root apt-get install -y -qq --no-install-recommends "$@" 2>&1 >/dev/null) && return 0
    if [ -n "$offline" ]; then
        echo "deps: apt-get does not reach its servers: with a network, run   $by_hand" >&2
    else
        echo "deps: apt-get could not install them: $(grep -m 1 '^E:' <<<"$answer")" >&2
    fi
    return 1
}

cuda_header() { # prints where it is
    local folder
    for folder in "$cuda/include" "$cuda/extras/CUPTI/include"; do
        [ ! -f "$folder/$1" ] || { echo "$folder/$1" && return; }
    done
    return 1
}

# check_cuda [nvcc]: whether all is there and new enough. From 13.0 on, tests compile for the device too.
check_cuda() {
    local absent=() header version=0
    for header in cuda.h cupti.h; do
        cuda_header $header >/dev/null || absent+=("include/$header")
    done
    [ ${#absent[@]} != 0 ] || version=$(awk '$2 == "CUDA_VERSION" { print $3 }' "$(cuda_header cuda.h)")
    [ "${1:-}" != nvcc ] || [ "${version:-0}" -lt 13000 ] || [ -x "$cuda/bin/nvcc" ] || absent+=(bin/nvcc)
    if [ ${#absent[@]} != 0 ]; then
        echo "deps: no complete CUDA toolkit in $cuda (missing: ${absent[*]}), and it cannot be installed from here" >&2
    elif [ "${version:-0}" -lt $oldest_cuda ]; then
        echo "deps: the CUDA toolkit in $cuda is too old: $((version / 1000)).$((version % 1000 / 10))" >&2
    else
        return 0
    fi
    echo "deps: install CUDA 11.8 or later with its CUPTI from https://developer.nvidia.com/cuda-downloads," >&2
    echo "deps: or Debian's nvidia-cuda-toolkit, or say where it is:  make CUDA=/path/to/cuda" >&2
    return 1
}

case ${1:-build} in
install) needs=$install_needs ;;
build) needs=$install_needs$test_needs ;;
cross) needs=$cross_needs ;;
lint) needs=$lint_needs ;;
*) echo "usage: scripts/deps.sh [install|build|cross|lint]" >&2 && exit 1 ;;
esac

status=0
mapfile -t missing < <(missing_packages <<<"$needs")
if [ ${#missing[@]} != 0 ]; then
    install_packages "${missing[@]}" || status=1
    mapfile -t missing < <(missing_packages <<<"$needs")
    if [ $status = 0 ] && [ ${#missing[@]} != 0 ]; then
        echo "deps: installed, and yet not there: ${missing[*]}" >&2
        status=1
    fi
fi
case ${1:-build} in
install) check_cuda || status=1 ;;
build) check_cuda nvcc || status=1 ;;
esac
exit $status
