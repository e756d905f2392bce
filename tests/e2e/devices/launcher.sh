# Given a launcher, which counts the devices and has no rank of its own, when it and what it launches run with a file a
# rank, then it takes no rank's file and leaves none: nothing happened in it.
programs=$O/tests/e2e/devices
[ "$DEVICE" = gpu ] || export SIMCUDA_DEVICES=2
LOCAL_RANK=99 MEMTRACE_OUT=$PWD/trace.%r.bin traced "$programs/visible"
expect_status 1
expect_lines err 0
expect_equal "files" "" "$(ls | grep bin)"
