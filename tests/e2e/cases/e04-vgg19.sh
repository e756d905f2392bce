# E4: given the weights and biases of VGG-19, when they are traced, then their 143667240 parameters are 574668960 bytes,
# and equal shapes are counted in one row.
traced "$samples/tensors" --vgg19
expect_status 0
report --dump trace.bin
expect_ledger_is_dump
expect_events 7 + 9437184 tensor_create
expect_equal "bytes" 574668960 "$(awk '$1 == "+" { sum += $2 } END { print sum }' dump.events)"
report --lines trace.bin
expect_match report.txt '^\+ \| 7 \* Size:\(512, 512, 3, 3\) +\| Memory: 63\.000 M \| cudaMalloc +\| tensors\.cu:[0-9]+ '
golden e04-vgg19-lines
