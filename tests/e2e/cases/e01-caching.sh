# E1 again, given an allocator that rounds as PyTorch's does: then the loss takes the smallest block, 512 bytes.
traced "$samples/train" --layers 1024,1024 --batch 1 --steps 3 --optimizer adamw --allocator caching --ledger
expect_status 0
report --dump trace.bin
expect_ledger_is_dump
expect_events 3 + 512 loss_forward
expect_events 1 + 4194304 parameters_create
report --lines trace.bin
golden e01-caching-lines
