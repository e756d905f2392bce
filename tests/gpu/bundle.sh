#!/usr/bin/env bash
# `make gpu-bundle`: puts into $O/gpu-libs the shared libraries that a bare GPU machine may lack (libunwind, libdw,
# libelf, cmocka and what they need, the CUDA runtime, CUPTI), so that the build folder can be carried to it and
# `make check-gpu` run there without compilers or packages. check.sh takes a library from here only if it is missing.
set -eu
cd "$(dirname "$0")/../.."
O=${O:-build} cuda=${CUDA:-/usr/local/cuda}
bundle=$O/gpu-libs
rm -rf "$bundle" && mkdir -p "$bundle"

# The C and C++ runtimes belong to the machine; everything else that NAME.so needs is taken along.
runtime='^(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)[.-]'
take() {
    local path=$1
    cp -L "$path" "$bundle/$(basename "$path")"
    ldd "$path" | awk '$2 == "=>" { print $1, $3 }' | grep -vE "$runtime" |
        while read -r name needed; do
            [ -f "$bundle/$name" ] || cp -L "$needed" "$bundle/$name"
        done
}

for name in libunwind.so.8 libdw.so.1 libcmocka.so.0; do
    path=$(ldconfig -p | awk -v name=$name '$1 == name { print $NF; exit }')
    [ -n "$path" ] || { echo "bundle: $name is not installed here" >&2 && exit 1; }
    take "$path"
done
for name in libcudart libcupti; do
    path=$(ls "$cuda"/lib64/$name.so.[0-9]* "$cuda"/extras/CUPTI/lib64/$name.so.[0-9]* 2>/dev/null | sort -V | tail -n 1)
    [ -n "$path" ] || { echo "bundle: no $name in $cuda" >&2 && exit 1; }
    cp -L "$path" "$bundle/$(basename "$path")"
done
chmod 755 "$bundle"/*
strip --strip-unneeded "$bundle"/lib{unwind,dw,elf,cmocka}*.so.*

carry=("$O"/libmemtrace.so "$O"/memtrace-report "$O"/samples "$O"/tests "$O"/gpu-libs)
echo "bundle: $(ls "$bundle" | wc -l) libraries in $bundle; to carry: ${carry[*]}"
du -shc "${carry[@]}"
