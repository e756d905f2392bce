# rmm#1245: of a pool, little is used and much is reserved: the report says how much, and how large the largest hole is.
source "$e2e/coverage/ledger.bash"
traced "$public/fragments"
expect_status 0
expect_match out '^fact reserved '
expect_match out '^fact used 4194304$'
