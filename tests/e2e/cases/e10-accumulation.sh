# E10: given a batch of 64 in four parts, when it is traced, then activations are those of 16 rows; the sample itself
# checks that its gradients are those of the whole batch.
traced "$samples/train" --batch 64 --accumulate 4 --steps 2 --ledger
expect_status 0
expect_match out '^gradients of 4 batches of 16 differ from those of one batch of 64 by'
report --dump trace.bin
expect_ledger_is_dump
expect_events 12 + 65536 relu # two steps, and the check's own, of four parts each
report --lines trace.bin
golden e10-lines
