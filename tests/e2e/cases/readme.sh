# Given the README, then every option and every environment variable of ours that it names exists.
sim_only
report --help
expect_status 0
while read -r option; do
    grep -q -- "$option" report.txt || fail "README names $option, memtrace-report --help does not"
done < <(grep -oE -- '(^|[ `(])--[a-z][a-z-]+' "$source_root/README.md" | grep -oE -- '--[a-z-]+' | sort -u |
    grep -vxE -- '--(layers|batch|steps|optimizer|ledger|free|vgg19|device)')
while read -r variable; do
    grep -aq "$variable" "$library" || fail "README names $variable, the library does not"
done < <(grep -oE 'MEMTRACE_[A-Z]+' "$source_root/README.md" | sort -u)
