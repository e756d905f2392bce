# pytorch#95668, cupy#4282, pytorch#94893: what cuBLAS and cuFFT allocate by themselves is named by their library and by
# the line that called them, and a cache of plans is live, constant, and no more than that.
source "$e2e/coverage/ledger.bash"
[ "$DEVICE" = gpu ] || program_libraries=$public/stand-in:$program_libraries

# What was traced and what is hidden make up the device memory in use, but for 1 % or 4 MiB.
expect_explained() {
    report --hidden trace.bin
    expect_status 0
    expect_equal "unexplained" small "$(tr -d , <report.txt | awk '
        $NF == "unexplained" { rest = $1 < 0 ? -$1 : $1 }
        $NF == "use" && $(NF - 1) == "in" { used = $1 }
        END { print (used && (rest <= used / 100 || rest <= 4194304) ? "small" : rest " of " used) }')"
}

traced "$public/cublas"
grep -q 'cannot open shared object' err && skip "no cuBLAS here"
expect_status 0
report --live --by module trace.bin
expect_status 0
expect_match report.txt 'libcublas'
[ "$DEVICE" = gpu ] || expect_match report.txt ' 8,519,680 .* 1  libcublas\.so\.13$'
report --live trace.bin
expect_match report.txt 'cublas\.c:2[0-9]'
expect_explained

rm -f trace.*
traced "$public/cufft"
grep -q 'cannot open shared object' err && skip "no cuFFT here"
expect_status 0
report --live --by module trace.bin
expect_status 0
expect_match report.txt 'libcufft'
# 30 steps, and each of their data is gone again: what is live are the plans.
expect_equal "data freed" 30 "$(changes_of trace.bin | grep -Ec '^- (8000024|8388608|12000056) device')"
expect_explained
