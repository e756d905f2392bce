#!/usr/bin/env bash
# Compiles every C file for aarch64 (Grace, GB10) with Debian's cross compiler, links the library and the report, and runs
# unit tests of theirs in an emulator. Prints the counts, or why it skips: no packages, no emulator.
#   O=build-aarch64 tests/aarch64.sh
set -u
cd "$(dirname "$0")/.." || exit 1
O=${O:-build-aarch64}
cache=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/memtrace}
root=$cache/aarch64
qemu=$cache/qemu/usr/bin/qemu-aarch64-static
units=(codec definitions stacks format writer reader walk options model units symbols)

skip() {
    echo "aarch64: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
scripts/deps.sh cross || skip "no cross compiler"
scripts/debian.sh bookworm arm64 "$root" libdw-dev libdw1 libelf-dev libelf1 zlib1g libbz2-1.0 liblzma5 libcmocka-dev \
    libcmocka0 uthash-dev || skip "no libraries"
scripts/debian.sh bookworm amd64 "${qemu%/usr/*}" qemu-user-static -- './usr/bin/qemu-aarch64-static' || skip "no emulator"

triplet=aarch64-linux-gnu
libraries=$root/usr/lib/$triplet:$root/lib/$triplet
export CPPFLAGS="-isystem $root/usr/include -isystem $root/usr/include/$triplet"
export LDFLAGS="-L$root/usr/lib/$triplet -Wl,-rpath-link,$libraries"
mapfile -t programs < <(printf "$O/tests/unit/test_%s\n" "${units[@]}")
build() {
    make --no-print-directory O="$O" CC=$triplet-gcc CXX=$triplet-g++ CFLAGS="-g -Werror" SIMULATED= "$@"
}
build all lint-objects "${programs[@]}" || exit 1

emulated() {
    timeout 120 "$qemu" -L /usr/$triplet -E LD_LIBRARY_PATH="/usr/$triplet/lib:$libraries" "$@"
}
passed=0 failed=0
for unit in "${programs[@]}"; do
    if emulated "$unit" >"$O/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL  $unit" && tail -n 20 "$O/log"
    fi
done
# A program that knows no CUDA runs under the library as it does without.
if [ "$(emulated -E LD_PRELOAD="$O/libmemtrace.so" "$O/memtrace-report" --version)" = \
    "$(emulated "$O/memtrace-report" --version)" ]; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
