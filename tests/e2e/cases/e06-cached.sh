# E6: given an allocator that caches, when the program frees everything, then what is allocated drops at once, and
# what is reserved stays until the cache is emptied.
traced "$samples/train" --steps 2 --allocator caching --ledger
expect_status 0
report --dump trace.bin
expect_ledger_is_dump
expect_events 2 + 20971520 segment_create
expect_events 1 + 2097152 segment_create
expect_events 2 - 20971520 caching_empty
expect_events 1 - 2097152 caching_empty
report --lines trace.bin
golden e06-lines
report --pools trace.bin
golden e06-pools
