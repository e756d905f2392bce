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
sed -n '/ at exit, /,$p' report.txt >exit.txt
expect_match exit.txt "^ *$grouped .* reserved\$"
expect_match exit.txt '^ *4,194,304 .* 4  handed out, in blocks$'
# Between blocks of 1 MiB lie holes of 64, where the driver puts one behind the other.
[ "$DEVICE" = gpu ] || expect_match exit.txt 'largest hole between blocks has 67,108,864 bytes'
