# Given programs of random functions with frames of every layout, by each compiler that is here and at several levels of
# optimisation, when they allocate a million times in all, then every call stack names the callers that the program noted
# itself. The programs change with each commit; SEED=N makes those of another run.
sim_only
command -v python3 >/dev/null || skip "no Python on this machine"
generator=$e2e/faults/generated-stacks
commit=$(git -C "$source_root" rev-parse HEAD 2>/dev/null || cksum <"$library")
seed=${SEED:-$(($(cksum <<<"$commit" | cut -d ' ' -f 1) % 1000000))}
echo "seed $seed"

compilers=()
for compiler in gcc clang; do
    command -v $compiler >/dev/null && compilers+=($compiler)
done
[ ${#compilers[@]} -gt 0 ] || skip "no compiler on this machine"
each=$((1020000 / (3 * ${#compilers[@]})))

number=0
for compiler in "${compilers[@]}"; do
    for level in -O2 -O3 -Os; do
        number=$((number + 1))
        python3 "$generator/generate.py" $((seed + number)) 32 >functions.c
        $compiler $level -I"$generator" -I"${CUDA:-/usr/local/cuda}/include" -o calls functions.c "$generator/main.c" \
            -L"$program_libraries" -lcuda || fail "$compiler $level"
        traced ./calls $((seed + number)) $each 20000
        expect_status 0
        "$O/tests/e2e/faults/generated-stacks/check" trace.bin truth >checked || { cat checked && fail "$compiler $level"; }
        echo "$compiler $level: $(cat checked)"
        rm -f trace.bin* truth
    done
done
