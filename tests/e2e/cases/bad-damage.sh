# Given traces with random bytes in the middle, when they are reported, then the program neither crashes nor hangs: it
# reports (0), or reports what it could and says so on at most two lines (2).
sim_only
traced "$programs/kinds"
expect_status 7
RANDOM=20261129
size=$(stat -c %s trace.bin)
for ((round = 0; round < 40; round++)); do
    cp trace.bin damaged.bin
    for ((hit = 0; hit <= round % 8; hit++)); do
        offset=$((16 + (RANDOM * 32768 + RANDOM) % (size - 16)))
        printf "\\x$(printf %02x $((RANDOM % 256)))" | dd of=damaged.bin bs=1 seek=$offset conv=notrunc status=none
    done
    report damaged.bin
    [ $status = 0 ] || [ $status = 2 ] || { cp damaged.bin "crash-$round.bin" && fail "round $round: exit code $status"; }
    [ "$(wc -l <report.err)" -le 2 ] || fail "round $round: more than two lines on stderr"
done
