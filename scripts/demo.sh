#!/usr/bin/env bash
# `make demo`: traces the training sample on the GPU, or on the simulated device where there is none, and prints the
# report. Each command is shown before it runs, as a person would type it.
set -eu
cd "$(dirname "$0")/.."
O=${O:-build}

# A driver that answers, not just a file that is there.
gpu_present() {
    command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi -L 2>/dev/null | grep -q '^GPU '
}

show() {
    echo "\$ $*"
    env "$@"
    echo
}

program=$O/samples/train
arguments=(--layers 1024,1024,1 --batch 256 --steps 20 --optimizer adamw)
trace=MEMTRACE_OUT=$O/demo.bin

if gpu_present; then
    show $trace LD_PRELOAD=$O/libmemtrace.so "$program" "${arguments[@]}"
else
    echo "No GPU answers here, so this is the simulated device of $O/simcuda."
    show LD_LIBRARY_PATH=$O/simcuda $trace LD_PRELOAD=$O/libmemtrace.so "$program" "${arguments[@]}"
fi
show "$O/memtrace-report" "$O/demo.bin"
