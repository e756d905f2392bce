# E2: given Linear(1024, 1024) and Linear(1024, 1) on a batch of 1024, when two steps are traced, then each tensor
# of the table in the public write-up has its row, and the second backward frees what its forward took.
traced "$samples/train" --layers 1024,1024,1 --batch 1024 --steps 2 --inplace-relu --ledger
expect_status 0
report --dump trace.bin
expect_ledger_is_dump
expect_events 1 + 4194304 parameters_create
expect_events 1 + 4096 parameters_create
expect_events 1 + 4194304 input_create
expect_events 2 + 4194304 forward
expect_events 2 + 4096 forward
expect_events 1 + 4194304 gradients_create
expect_events 1 + 4096 gradients_create
report --lines trace.bin
golden e02-lines
