# E1: given one Linear(1024, 1024) and AdamW on one sample, when three steps are traced, then parameters, gradients and
# optimizer state come with their bytes, at their lines; what forward and backward do not free stays the same.
traced "$samples/train" --layers 1024,1024 --batch 1 --steps 3 --optimizer adamw --ledger
expect_status 0
report --dump trace.bin
expect_ledger_is_dump
expect_events 1 + 4194304 parameters_create
expect_events 1 + 4096 input_create
expect_events 3 + 4096 forward
expect_events 3 + 4 loss_forward
expect_events 1 + 4194304 gradients_create
expect_events 2 + 4194304 moments_create
expect_events 6 + 4194304 adamw_step
report --lines trace.bin
golden e01-lines
