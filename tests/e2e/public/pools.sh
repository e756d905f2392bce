# rmm#1245: of a pool, little is used and much is reserved: the report says how much, and how large the largest hole is.
source "$e2e/coverage/ledger.bash"
traced "$public/fragments"
expect_status 0
expect_match out '^fact used 4194304$'
reserved=$(sed -n 's/^fact reserved //p' out)
[ "$DEVICE" = gpu ] || expect_equal "reserved" 301989888 "$reserved"

report --pools trace.bin
expect_status 0
grouped=$(sed -E ':again; s/([0-9])([0-9]{3})(,|$)/\1,\2\3/; t again' <<<"$reserved")
expect_match report.txt "At the end, .*: $grouped bytes .* reserved, 4,194,304 .* handed out in 4 blocks"
# Between blocks of 1 MiB lie holes of 64, where the driver puts one behind the other.
[ "$DEVICE" = gpu ] || expect_match report.txt 'largest hole between blocks is of 67,108,864 '
