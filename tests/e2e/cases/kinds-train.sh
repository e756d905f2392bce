# Given the training sample, which knows why it allocates, when it is traced with each optimizer and shape, then --kinds
# tells at the peak as many bytes of each kind as the sample's own ledger, and none is unknown.
sim_only
export SIMCUDA_KERNELS=off

# What is live of each kind when most is: of the sample, and of the report.
truth() {
    awk '$1 == "ledger" && $2 == "+" { live[kind[$4]] += $3; total += $3 }
         $1 == "ledger" && $2 == "-" { live[kind[$4]] -= $3; total -= $3 }
         total > most { most = total; for (name in live) peak[name] = live[name] }
         BEGIN { kind["parameters"] = "parameters"; kind["gradients"] = "gradients"; kind["optimizer"] = "optimizer state"
                 kind["activation"] = kind["loss"] = "activations"; kind["input"] = "inputs"
                 kind["temporary"] = "temporary" }
         END { for (name in peak) if (peak[name]) print name, peak[name] }' out | sort
}
judged() {
    sed -n '/kind, and how/,/ total$/p' report.txt |
        sed -n 's/^ *\([0-9,]*\) .* %  *[0-9]*  \([a-z ]*\): .*/\1 \2/p' | tr -d , |
        awk '{ bytes = $1; $1 = ""; sum[substr($0, 2)] += bytes } END { for (name in sum) print name, sum[name] }' | sort
}

run() {
    traced "$samples/train" --ledger "$@"
    expect_status 0
    report --kinds trace.bin
    expect_status 0
    expect_equal "kinds of train $*" "$(truth)" "$(judged)"
}

for optimizer in sgd momentum adamw; do run --optimizer $optimizer --steps 3; done
run --allocator async --steps 3
run --layers 64,128,32,10 --batch 32 --accumulate 4 --bias --loss xent --inplace-relu --steps 3
# The input is as large as a layer: where it was made tells it apart.
run --layers 256,256,1 --batch 256 --steps 3

# Given losses that are added up, then the sum, which one forward makes and no later one, is not taken for an activation.
traced "$samples/train" --keep-loss --steps 5
report --kinds trace.bin
expect_match report.txt '^  +4  .* 1  unknown: made in one forward only, and kept for steps$'
expect_match report.txt ' activations: made in forward, kept after it$'

# Given only forwards, then nothing tells parameters from what else is kept.
traced "$samples/train" --optimizer none --no-grad --steps 3
report --kinds trace.bin
expect_match report.txt '%  +[0-9]+  unknown: made outside forward, backward and optimizer, and kept$'
expect_no_match report.txt 'parameters:'
