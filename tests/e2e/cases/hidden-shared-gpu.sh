# Given a GPU that has memory in use which is not this process's, when NVML tells how much is, then --hidden is about this
# process alone: what others had at the beginning is not in its context, and a MiB that nobody saw is unexplained.
sim_only
export SIMCUDA_HIDDEN_MODULE=90MiB
program_libraries=$O/tests/fakes/nvml:$program_libraries

# The device has 564,985,856 bytes in use after the context, of which 100 MiB are not ours; NVML is asked again when it has
# 4,851,564,544, and at exit, when it has 4,912,381,952.
FAKE_NVML_USED=460128256,4746706944,4808572928 traced "$programs/hidden"
expect_status 0
expect_match out '^own 4808572928$'
report --hidden trace.bin
expect_status 0
sed -n '/in use at exit/,$p' report.txt >exit.txt
expect_match exit.txt '^Device 0 .*: 4,808,572,928 bytes \(4\.48 GiB\) in use at exit, '
expect_match exit.txt '^  This process alone, as the driver.s management library tells; measured 9 times\.$'
expect_match exit.txt '^  Beside it, 103,809,024 bytes \(99\.0 MiB\) were in use by others\.$'
expect_match exit.txt '^ +460,128,256 .* hidden\.cu:[0-9]+ main: context, by cudaFree$'
expect_match exit.txt '^ +1,048,576 +1\.00 MiB +0\.0 % +unexplained$'
