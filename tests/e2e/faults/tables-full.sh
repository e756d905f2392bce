# Given more buffers of imported memory and more memory pools than programs usually have, then none is forgotten.
program=$O/tests/e2e/faults/tables-full

traced "$program" views 600
expect_status 0
report --summary trace.bin
expect_status 0
expect_no_match report.txt 'unknown frees|unseen frees'
expect_match report.txt ' lost events +0$'

[ "$DEVICE" = sim ] || exit 0 # a real driver does not stand so many pools
rm trace.bin
traced "$program" pools 200
expect_status 0
report --pools trace.bin
expect_equal "pools" 200 "$(grep -c ': memory pool [0-9]* when it first held most' report.txt)"
report --hidden trace.bin
expect_match report.txt '^ +6,710,886,400 +6\.25 GiB .* memory pools$'
expect_equal "unexplained" "0 0" "$(awk '/unexplained$/ { print $1 }' report.txt | paste -sd ' ')"
