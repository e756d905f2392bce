# Given eight threads that make 100,000 stream-ordered allocations each and free each other's blocks, when they are
# traced, then the report's counts and sums are the program's own, and no free is without its allocation.
source "$e2e/threads.bash"
traced "$programs/threads" async 100000
threads_as_reported
