# Given eight threads that use cudaMalloc and cudaFree, whose addresses come back at once and on other threads, when
# they are traced, then the report's counts and sums are the program's own, and no free is without its allocation.
[ "$DEVICE" = sim ] && pairs=100000 || pairs=2000 # some 100 us each on a real device
source "$e2e/threads.bash"
traced "$programs/threads" malloc $pairs
threads_as_reported
