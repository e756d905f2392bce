#!/usr/bin/env bash
# `make gpu-bundle`: gathers in $BUNDLE what `make check-gpu O=$BUNDLE` runs on a bare GPU machine – programs and shared
# libraries, no objects – and, in its gpu-libs, the libraries that such a machine may lack: libdw, libelf, cmocka
# and what they need, the CUDA runtime, CUPTI. check.sh takes one from there only if it is missing.
set -eu
cd "$(dirname "$0")/../.."
O=${O:-build} BUNDLE=${BUNDLE:-$O-gpu} cuda=${CUDA:-/usr/local/cuda}
rm -rf "$BUNDLE" && mkdir -p "$BUNDLE/gpu-libs"
BUNDLE=$(realpath "$BUNDLE")

cp "$O"/libmemtrace.so "$O"/memtrace-report "$BUNDLE"
(cd "$O" && find samples tests -type f \( -perm -u+x -o -name '*.so*' \) \( -not -path 'tests/unit/*' -o -path 'tests/unit/test_torch.libs/*' \) \
    -exec cp --parents -t "$BUNDLE" {} +)

# The C and C++ runtimes belong to the machine; everything else that a library needs is taken along.
runtime='^(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)[.-]'
take() {
    local path=$1
    cp -L "$path" "$BUNDLE/gpu-libs/$(basename "$path")"
    ldd "$path" | awk '$2 == "=>" { print $1, $3 }' | grep -vE "$runtime" |
        while read -r name needed; do
            [ -f "$BUNDLE/gpu-libs/$name" ] || cp -L "$needed" "$BUNDLE/gpu-libs/$name"
        done
}

for name in libdw.so.1 libcmocka.so.0; do
    path=$(ldconfig -p | awk -v name=$name '$1 == name { print $NF; exit }')
    [ -n "$path" ] || { echo "bundle: $name is not installed here" >&2 && exit 1; }
    take "$path"
done
for name in libcudart libcupti; do
    path=$(ls "$cuda"/lib64/$name.so.[0-9]* "$cuda"/extras/CUPTI/lib64/$name.so.[0-9]* 2>/dev/null | sort -V | tail -n 1)
    [ -n "$path" ] || { echo "bundle: no $name in $cuda" >&2 && exit 1; }
    cp -L "$path" "$BUNDLE/gpu-libs/$(basename "$path")"
done
chmod 755 "$BUNDLE"/gpu-libs/*
echo "bundle: $(du -sh "$BUNDLE" | cut -f 1) to carry in $(basename "$BUNDLE"); there: make check-gpu O=$(basename "$BUNDLE")"
