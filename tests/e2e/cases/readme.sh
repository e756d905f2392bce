# Given the README, then every option in its tables and every environment variable of ours exists, and every option of
# ours is in the tables.
sim_only
report --help
expect_status 0
while read -r option; do
    grep -q -- "$option" report.txt || fail "README names $option, memtrace-report --help does not"
done < <(grep '^| `--' "$source_root/README.md" | grep -oE -- '--[a-z-]+' | sort -u)
while read -r option; do
    grep -q -- "^|.*\`$option\b" "$source_root/README.md" || fail "memtrace-report --help names $option, README does not"
done < <(grep -oE '^ +--[a-z-]+' report.txt | grep -v -e --usage -e --help -e --version)
! grep -q ' $' report.txt || fail "memtrace-report --help has a line that ends in a space"
while read -r variable; do
    grep -aq "$variable" "$library" || fail "README names $variable, the library does not"
done < <(grep -oE 'MEMTRACE_[A-Z]+' "$source_root/README.md" | sort -u)

# And the README's first commands print what it shows there, but for the date.
shown() {
    awk -v command="\$ build/memtrace-report $1" '
        $0 == "```" || /^\$ / { on = 0 }
        on && $0 != "" { print }
        $0 == command && !seen++ { on = 1 }' "$source_root/README.md" | sed -E 's/[0-9]+-[A-Z][a-z]+-[0-9:-]+/DATE/'
}
traced "$samples/train" --batch 256 --steps 200 --optimizer none --keep-loss
expect_status 0
for view in "" "--live "; do
    report ${view:+$view} trace.bin
    expect_status 0
    shown "${view}trace.bin" >expected.txt
    expect_same expected.txt <(grep . report.txt | sed -E 's/[0-9]+-[A-Z][a-z]+-[0-9:-]+/DATE/')
done
[ -s expected.txt ] || fail "the README's example was not found"
