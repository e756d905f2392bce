#!/bin/bash
# The samples' own ledgers against the numbers that experiments E1 to E10 are known by, to the byte. The device is the one
# that LD_LIBRARY_PATH leads to, simulated or real:
#
#   LD_LIBRARY_PATH=build/simcuda samples/test-ledger.sh [folder of the sample programs]
#
# Each table row is: what is checked | program and options | measure | expected. A measure reads the program's output:
#   change PHASE...    allocated at the end of the last phase named, over what it was before the first one began
#   over-start PHASE   the peak during a phase, over what was allocated when it began
#   over-end PHASE     ... over what was allocated when it ended
#   peak PHASE         the peak itself
#   reserved PHASE     reserved at the end of a phase
#   live PHASE WHY...  bytes of these kinds that are alive at the end of a phase
#   lines TEXT         how many lines of the output begin with this text
#   refuses            exit status, and lines on stderr
set -u

programs=${1:-build/samples}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

# The output of a run, made once for each command line.
output() {
    local file="$scratch/${*//[^a-z0-9]/_}"
    if [ ! -e "$file" ]; then
        "$programs/$@" > "$file" 2> "$file.err"
        echo $? > "$file.rc"
    fi
    echo "$file"
}

# $1 output file, then the measure
measure() {
    local file=$1 what=$2
    shift 2
    case $what in
    refuses)
        echo "status $(cat "$file.rc"), $(wc -l < "$file.err") line"
        return ;;
    lines)
        grep -c -e "^$*" "$file"
        return ;;
    esac
    awk -v what="$what" -v wanted="$*" '
        BEGIN { count = split(wanted, word, " "); first = word[1]; last = what == "change" ? word[count] : first
                for (i = 2; i <= count; i++) kind[word[i]] = 1 }
        $1 != "ledger" { next }
        $2 == "+" { live[$4] += $3 }
        $2 == "-" { live[$4] -= $3 }
        $2 == "=" {
            if ($3 == first) { before = allocated; begun = 1 }
            allocated = $5; reserved = $7; peak = $9
            if ($3 == last && begun) { found = 1; exit }
        }
        END {
            if (!found) { print "no such phase"; exit }
            if (what == "change") print allocated - before
            if (what == "over-start") print peak - before
            if (what == "over-end") print peak - allocated
            if (what == "peak") print peak
            if (what == "reserved") print reserved
            if (what == "live") { for (k in kind) sum += live[k]; print sum + 0 }
        }' "$file"
}

# Reads a table on stdin.
check() {
    local name command what expected got
    while IFS='|' read -r name command what expected; do
        [ -n "${name// /}" ] || continue
        expected=$(echo $expected)
        # shellcheck disable=SC2086 # words are what is wanted
        got=$(measure "$(output $command)" $what)
        if [ "$got" = "$expected" ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED: $(echo $name): $(echo $command): $(echo $what) is $got, not $expected"
        fi
    done
}

# The simulated device skips the arithmetic where only memory matters; a real one knows nothing of this.
export SIMCUDA_KERNELS=off

for allocator in malloc async pool caching; do
    loss=4
    [ $allocator = caching ] && loss=512
    E1="train --layers 1024,1024 --batch 1 --steps 3 --ledger --allocator $allocator"
    E2="train --layers 1024,1024,1 --batch 1024 --steps 2 --inplace-relu --ledger --allocator $allocator"
    check << END
    E1 model            | $E1 | change model            | 4194304
    E1 input            | $E1 | change input            | 4096
    E1 forward          | $E1 | change step1.forward    | 4096
    E1 loss             | $E1 | change step1.loss       | $loss
    E1 first backward   | $E1 | change step1.backward   | 4194304
    E1 first step       | $E1 | change step1.optimizer  | 8388608
    E1 inside a step    | $E1 | over-end step1.optimizer| 8388608
    E1 later forward    | $E1 | change step2.forward step2.loss | 0
    E1 later backward   | $E1 | change step2.backward   | 0
    E1 later step       | $E1 | change step3.optimizer  | 0
    E1 inside it        | $E1 | over-end step3.optimizer| 8388608
    E1 all freed        | $E1 | live freed parameters input activation loss gradients optimizer temporary | 0
    E2 first layer      | $E2 | lines ledger + 4194304 parameters layer0.weight (1024, 1024) parameters_create train.cu: | 1
    E2 second layer     | $E2 | lines ledger + 4096 parameters layer1.weight (1, 1024) parameters_create train.cu: | 1
    E2 model            | $E2 | change model            | 4198400
    E2 input            | $E2 | change input            | 4194304
    E2 forward          | $E2 | change step1.forward    | 4198400
    E2 loss             | $E2 | change step1.loss       | $loss
    E2 backward         | $E2 | change step1.backward   | 4096
    E2 activations gone | $E2 | live step1.backward activation | 4096
    E2 gradients        | $E2 | live step1.backward gradients | 4198400
    E2 second forward   | $E2 | change step2.forward    | 4194304
    E2 second loss      | $E2 | change step2.loss       | 0
    E2 second backward  | $E2 | change step2.backward   | -4194304
END
done

# 2 * 1024 * 1024 parameters, 8388608 bytes
E3="train --layers 1024,1024,1024 --steps 2 --inplace-relu --ledger"
check << END
    E3 SGD              | $E3 --optimizer sgd --batch 64      | live step2.optimizer parameters gradients optimizer | 16777216
    E3 momentum         | $E3 --optimizer momentum --batch 64 | live step2.optimizer parameters gradients optimizer | 25165824
    E3 AdamW            | $E3 --optimizer adamw --batch 64    | live step2.optimizer parameters gradients optimizer | 33554432
    E3 AdamW, one row   | $E3 --optimizer adamw --batch 1     | live step2.optimizer parameters gradients optimizer | 33554432
    E3 features         | $E3 --optimizer adamw --batch 64    | live step2.forward activation | 524288
    E3 features, twice  | $E3 --optimizer adamw --batch 128   | live step2.forward activation | 1048576
    E3 4P + 64*2048*2 + input + loss | $E3 --optimizer adamw --batch 64 | peak step2.backward | 34865156
    E3 ReLU in place    | $E3 --optimizer adamw --batch 64    | over-start step1.forward | 524288
    E3 ReLU apart       | ${E3/--inplace-relu/} --optimizer adamw --batch 64 | over-start step1.forward | 524288
    E3 ReLU apart       | ${E3/--inplace-relu/} --optimizer adamw --batch 64 | lines ledger + 262144 activation layer0.relu (64, 1024) relu train.cu: | 2
    E3 ReLU in place    | $E3 --optimizer adamw --batch 64    | lines ledger + 262144 activation layer0.relu (64, 1024) relu train.cu: | 0
END

three="30,3,512,512 40,3,512,512 60x3x512x512"
E4="tensors $three --then 80,3,512,512 120,3,512,512 --free 30,3,512,512 80,3,512,512"
check << END
    E4 three            | $E4 | change group1 | 408944640
    E4 a                | $E4 | lines ledger + 94371840 tensor 30,3,512,512 (30, 3, 512, 512) tensor_create tensors.cu: | 1
    E4 b                | $E4 | lines ledger + 125829120 tensor 40,3,512,512 (40, 3, 512, 512) tensor_create tensors.cu: | 1
    E4 c                | $E4 | lines ledger + 188743680 tensor 60x3x512x512 (60, 3, 512, 512) tensor_create tensors.cu: | 1
    E4 two more         | $E4 | change group2 | 629145600
    E4 d                | $E4 | lines ledger + 251658240 tensor | 1
    E4 e                | $E4 | lines ledger + 377487360 tensor | 1
    E4 two freed        | $E4 | change group3 | -346030080
    E4 a freed          | $E4 | lines ledger - 94371840 tensor 30,3,512,512 (30, 3, 512, 512) tensor_free tensors.cu: | 1
    E4 d freed          | $E4 | lines ledger - 251658240 tensor 80,3,512,512 (80, 3, 512, 512) tensor_free tensors.cu: | 1
    E4 VGG-19           | tensors --vgg19 | change group1 | 574668960
    E4 its tensors      | tensors --vgg19 | lines ledger + | 38
    E4 its 512x512x3x3  | tensors --vgg19 | lines ledger + 9437184 tensor conv.weight (512, 512, 3, 3) | 7
END

E6="train --steps 2 --ledger --allocator caching"
end=$(measure "$(output $E6)" live end parameters input activation loss gradients optimizer)
check << END
    E6 allocated drops  | $E6 | change freed         | -$end
    E6 reserved does not| $E6 | reserved end         | 44040192
    E6 reserved does not| $E6 | reserved freed       | 44040192
    E6 until emptied    | $E6 | reserved empty_cache | 0
    E6 segments taken   | $E6 | lines ledger > 20971520 segment segment_create caching.cu: | 2
    E6 small ones       | $E6 | lines ledger > 2097152 segment segment_create caching.cu: | 1
    E6 segments back    | $E6 | lines ledger < | 3
END

# Sizes as PyTorch rounds them: blocks to 512 bytes, segments to 2, 20 or a multiple of 2 MiB; up to 1 MiB is not split off.
cached="train --steps 3 --ledger --allocator caching --batch 1"
check << END
    smallest block      | $cached --layers 7,1       | lines ledger + 512 parameters layer0.weight (1, 7) | 1
    rounded block       | $cached --layers 100,100   | lines ledger + 40448 parameters layer0.weight (100, 100) | 1
    small segment       | $cached --layers 100,100   | reserved model | 2097152
    largest small       | $cached --layers 512,512   | reserved model | 2097152
    smallest large      | $cached --layers 512,513   | reserved model | 20971520
    segment of its own  | $cached --layers 2048,2048 | reserved model | 16777216
    rest not split off  | $cached --layers 1500,2000 | lines ledger + 12582912 parameters layer0.weight (2000, 1500) | 1
    blocks are reused   | $cached --layers 512,512   | reserved step1.optimizer | 8388608
    steps later also    | $cached --layers 512,512   | reserved end | 8388608
END

# A step's graph: hidden 256 * 1024 * 4, output 256 * 4, loss 4; the running total is 4 more.
E7="train --layers 1024,1024,1 --batch 256 --steps 200 --ledger --optimizer none"
E7train="train --layers 1024,1024,1 --batch 256 --steps 200 --ledger --keep-loss"
check << END
    E7 loss.item()      | $E7             | change step1.forward end | 1049604
    E7 loss             | $E7 --keep-loss | change step1.forward end | 209920804
    E7 grows every step | $E7 --keep-loss | change step200.forward step200.loss | 1049604
    E7 while training   | $E7train        | live end activation loss | 209920804
END

E8="train --layers 1024,1024,1 --batch 8192 --steps 1 --ledger"
check << END
    E8 keeps 32 MiB     | $E8           | change step1.forward     | 33587200
    E8 for the backward | $E8           | live step1.backward activation | 32768
    E8 peak             | $E8           | over-start step1.forward | 67108864
    E8 no_grad keeps 0  | $E8 --no-grad | change step1.forward     | 32768
    E8 no_grad peak     | $E8 --no-grad | over-start step1.forward | 67108864
    E8 no gradients     | $E8 --no-grad | live end gradients optimizer temporary | 0
END

for allocator in malloc async pool caching; do
    E9="train --batch 64 --steps 2 --ledger --oom --allocator $allocator"
    check << END
    E9 refused          | $E9 | lines ledger ! 274877906944 activation oversized (65536, 1024, 1024) oversized_batch_try train.cu: | 1
    E9 said             | $E9 | lines out of memory: 274877906944 bytes refused; going on with a batch of 32 | 1
    E9 nothing taken    | $E9 | change step1.oom | -131072
    E9 goes on          | $E9 | lines step 2 loss | 1
    E9 ends well        | $E9 | refuses | status 0, 0 line
END
done

E10="train --batch 64 --accumulate 4 --steps 2 --ledger"
check << END
    E10 one part        | $E10 | live step1.part1.loss activation | 65600
    E10 last part       | $E10 | live step1.part4.loss activation | 65600
    E10 whole batch     | train --batch 64 --steps 2 --ledger | live step1.loss activation | 262400
    E10 forward peak    | $E10 | over-start step1.part1.forward | 131072
END

check << END
    bad size            | train --batch x             | refuses | status 1, 1 line
    bad size            | train --batch 0             | refuses | status 1, 1 line
    bad size            | train --batch -5            | refuses | status 1, 1 line
    bad size            | train --steps 1.5           | refuses | status 1, 1 line
    bad size            | train --steps 99999999999999999999 | refuses | status 1, 1 line
    bad layers          | train --layers 1024         | refuses | status 1, 1 line
    bad layers          | train --layers 1024,,1      | refuses | status 1, 1 line
    bad layers          | train --layers 8,8,         | refuses | status 1, 1 line
    bad layers          | train --layers 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18 | refuses | status 1, 1 line
    bad optimizer       | train --optimizer rmsprop   | refuses | status 1, 1 line
    bad allocator       | train --allocator slab      | refuses | status 1, 1 line
    bad loss            | train --loss l1             | refuses | status 1, 1 line
    bad rate            | train --lr nan              | refuses | status 1, 1 line
    bad seed            | train --seed 1e3            | refuses | status 1, 1 line
    uneven parts        | train --batch 10 --accumulate 3 | refuses | status 1, 1 line
    too many classes    | train --layers 4,8 --loss xent | refuses | status 1, 1 line
    an argument         | train 17                    | refuses | status 1, 1 line
    no shapes           | tensors                     | refuses | status 1, 1 line
    bad shape           | tensors 3,x                 | refuses | status 1, 1 line
    bad shape           | tensors 3,0                 | refuses | status 1, 1 line
    bad shape           | tensors 1,2,3,4,5           | refuses | status 1, 1 line
    huge shape          | tensors 999999999,999999999 | refuses | status 1, 1 line
    bad option          | tensors --vgg               | refuses | status 1, 1 line
    never allocated     | tensors 3 --free 4          | refuses | status 1, 1 line
END

# From here on the numbers matter.
export SIMCUDA_KERNELS=on

falls() {
    local file
    file=$(output train "$@" --seed 2)
    if awk '$1 == "loss" && $4 < 0.98 * $2 { falls = 1 } END { exit !falls }' "$file"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: the loss does not fall: train $*: $(tail -1 "$file")"
    fi
}

for optimizer in sgd momentum adamw; do
    falls --optimizer $optimizer
    falls --optimizer $optimizer --layers 64,128,10 --loss xent --bias --steps 30
done
falls --allocator caching
falls --accumulate 4 --inplace-relu
falls --layers 37,53,29,5 --batch 19 --bias --optimizer momentum

same=$(output train --batch 64 --accumulate 4 --bias --steps 3 --seed 3)
if awk '/^gradients of 4 batches of 16 differ from those of one batch of 64 by/ && $16 <= 1e-6 { same = 1 } END { exit !same }' "$same"; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "FAILED: E10 gradients: $(grep gradients "$same")"
fi

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
