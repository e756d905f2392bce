#!/usr/bin/env bash
# Builds with the headers of an older CUDA, from Debian's packages, below a folder with a space in its name: runs the unit
# tests, and traces with this library what build/ has been made to trace, which is a driver of today. Prints the counts,
# or why it skips.
#   tests/older-cuda.sh [11.8|12.4]      O: what `make all` built with the newest toolkit
set -u
cd "$(dirname "$0")/.." || exit 1
version=${1:-11.8}
O=$(realpath "${O:-build}")
cache=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/memtrace}
case $version in
11.8) suite=bookworm ;;
12.4) suite=trixie ;;
*) echo "usage: tests/older-cuda.sh [11.8|12.4]" >&2 && exit 1 ;;
esac

toolkit=$cache/cuda-$version
scripts/debian.sh $suite amd64 "$toolkit" nvidia-cuda-dev libcupti-dev -- './usr/include/*' || {
    echo "CUDA $version: no headers, so nothing was built with them"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
folder=$(mktemp -d "${TMPDIR:-/tmp}/memtrace XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$folder" || exit 1
ln -sfn usr/include "$toolkit/include"

make --no-print-directory -C "$folder" CUDA="$toolkit" test || status=1

export TALLY=$folder/tally
mapfile -t cases < <(cd tests/e2e && printf '%s\n' coverage/*.sh)
cp "$folder/build/libmemtrace.so" "$O/libmemtrace-$version.so" || exit 1 # LD_PRELOAD takes no path with a space
O=$O LIBRARY=$O/libmemtrace-$version.so tests/e2e/run.sh "${cases[@]%.sh}" || status=1
echo "$(grep -c '^passed' "$TALLY") passed, $(grep -c '^failed' "$TALLY") failed, $(grep -c '^skipped' "$TALLY") skipped"
exit ${status:-0}
