# E4: given float32 tensors of (N, 3, 512, 512), three at first, two more, and two freed, when they are traced, then
# each is a row of its own, with its shape, under the line that made or freed it.
traced "$samples/tensors" 30,3,512,512 40,3,512,512 60,3,512,512 --then 80,3,512,512 120,3,512,512 \
    --free 30,3,512,512 80,3,512,512
expect_status 0
report --dump trace.bin
expect_ledger_is_dump
for bytes in 94371840 125829120 188743680 251658240 377487360; do expect_events 1 + $bytes tensor_create; done
for bytes in 94371840 251658240; do expect_events 1 - $bytes tensor_free; done
report --lines trace.bin
golden e04-lines
