# torchtitan#2991: a line table that lies or is cut short costs names, never the report.
source "$e2e/coverage/ledger.bash"
command -v objcopy >/dev/null || skip "no objcopy"

objcopy -O binary --only-section=.debug_line "$public/plan" line-table
head -c 40 line-table >cut
head -c "$(stat -c %s line-table)" /dev/zero | tr '\0' '\377' >wrong
for table in cut wrong; do
    rm -f trace.*
    objcopy --update-section .debug_line=$table "$public/plan" ./plan
    traced ./plan
    expect_status 0
    report --live trace.bin
    expect_status 0
    expect_match report.txt 'plan'
    expect_equal "live" 3 "$(changes_of trace.bin | grep -c '^+ 1048576 ')"
done
