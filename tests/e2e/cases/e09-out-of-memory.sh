# E9: given a request for 256 GiB, when it is refused, then the report shows the request, its stack and what was live, and
# that the program went on with half the batch.
traced "$samples/train" --batch 64 --steps 2 --oom --ledger
expect_status 0
report --dump trace.bin
expect_ledger_is_dump
expect_events 1 ! 274877906944 oversized_batch_try
report --summary trace.bin
expect_match report.txt 'cudaMalloc of 274,877,906,944 bytes \(256\.0? GiB\): CUDA_ERROR_OUT_OF_MEMORY'
golden e09-summary
report --lines trace.bin
golden e09-lines
