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

# And the README's first commands print what it shows there, but for the date and the figures that depend on the number
# of steps, which is smaller here.
same_for_any_steps() {
    sed -E 's/[0-9]+-[A-Z][a-z]+-[0-9:-]+/DATE/
            s/Memory:[0-9.]+ +Mb/Memory:# Mb/g
            s/^× [0-9]+/× #/
            /^grew/s/[0-9.,]+/#/g
            /^Device|^ /s/(^|[ (])[0-9][0-9.,]*/\1#/g
            /^ /s/ +/ /g'
}
shown() {
    awk -v command="\$ build/memtrace-report $1" '
        $0 == "```" || /^\$ / { on = 0 }
        on && $0 != "" { print }
        $0 == command && !seen++ { on = 1 }' "$source_root/README.md" | same_for_any_steps
}
command=$(sed -n 's|^\$ LD_PRELOAD=build/libmemtrace.so build/samples/train ||p' "$source_root/README.md")
read -ra arguments <<<"${command/--steps 200/--steps 20}"
traced "$samples/train" "${arguments[@]}"
expect_status 0
report trace.bin
expect_same <(shown trace.bin) <(grep . report.txt | same_for_any_steps)
report --live trace.bin
expect_same <(shown "--live trace.bin") <(grep . report.txt | same_for_any_steps)
expect_match report.txt "^ +[0-9,]+ .* train.cu:[0-9]+ relu$"
