#!/usr/bin/env bash
# The checks that need no test: formatting, cppcheck, and a build by clang with warnings as errors.
#   scripts/lint.sh check     says what is wrong; exits 1 if anything is
#   scripts/lint.sh format    rewrites the sources as .clang-format says
set -u
cd "$(dirname "$0")/.." || exit 1
scripts/deps.sh lint || exit 1

mapfile -t sources < <(git ls-files --cached --others --exclude-standard -- '*.c' '*.h' '*.cpp' '*.cu' '*.cuh' | sort -u)
mapfile -t units < <(printf '%s\n' "${sources[@]}" | grep '\.c$')

if [ "${1:-check}" = format ]; then
    clang-format -i "${sources[@]}"
    exit
fi

status=0
step() {
    local name=$1 log
    shift
    if log=$("$@" 2>&1); then
        echo "ok    $name"
    else
        echo "FAIL  $name"
        printf '%s\n' "$log" | tail -n 60 | sed 's/^/      | /'
        status=1
    fi
}

clang_build() {
    make --no-print-directory O="${O:-build}-lint" CC=clang CXX=clang++ CFLAGS='-g -Werror' lint-objects
}

step clang-format clang-format --dry-run -Werror "${sources[@]}"
# In C, NULL is a pointer and may end a list of arguments (varFuncNullUB); parameters of type _Atomic(void *) make cppcheck
# believe that a function returns an integer (CastIntegerToAddressAtReturn), which the compilers would refuse.
step cppcheck cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --language=c -I. -D__x86_64__ -D__linux__ -D'ElfW(type)=Elf64_##type' \
    --enable=warning,portability --suppress=missingIncludeSystem \
    --suppress=varFuncNullUB --suppress=CastIntegerToAddressAtReturn --max-configs=1 -j 2 "${units[@]}"
step "clang -Werror" clang_build
exit $status
