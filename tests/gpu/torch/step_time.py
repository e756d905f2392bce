"""Time of a training step, without and with recording, and with torch's own recorder: `step_time.py WORKLOAD [ROUNDS]`.

Processes differ by more than the tracer costs, so the variants take turns within one: with libmemtrace.so preloaded,
its recording is switched off and on by the word that its guard asks (preload/guard.h), which no program does outside a
measurement. What is left while it is off – a hook's few instructions, or CUPTI's callback – shows against a process
without it. Prints the median step in µs of each variant, and how much longer it is than the first, as the median and
the quartiles over the rounds.
"""

import ctypes
import re
import statistics
import subprocess
import sys
import time

import torch
from workloads import Training

RECORDERS = {"torch recorder": "all", "torch recorder, Python only": "python"}  # by the stacks that it takes
STEPS = 12
WARM = 4  # of them, not counted: the first after a change refill caches


def find_recording():
    """The word that is 1 while memtrace records; None when it is not preloaded."""
    with open("/proc/self/maps") as maps:
        lines = [line for line in maps if line.rstrip().endswith("libmemtrace.so")]
    if not lines:
        return None
    symbols = subprocess.run(["nm", lines[0].split()[-1]], capture_output=True, text=True, check=True).stdout
    offset = int(re.search(r"^([0-9a-f]+) \S mt_alive$", symbols, re.MULTILINE)[1], 16)
    pointer = int(lines[0].split("-")[0], 16) + offset
    return ctypes.c_uint32.from_address(ctypes.c_uint64.from_address(pointer).value)


def record_by_torch(stacks):
    torch.cuda.memory._record_memory_history(enabled="all" if stacks else None, stacks=stacks or "all")


def median_step(training):
    times = []
    for _ in range(STEPS):
        torch.cuda.synchronize()
        start = time.perf_counter_ns()
        training.step()
        torch.cuda.synchronize()
        times.append((time.perf_counter_ns() - start) / 1e3)
    return statistics.median(times[WARM:])


def main():
    training = Training(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    recording = find_recording()
    variants = ["plain"] + ["memtrace"] * (recording is not None) + list(RECORDERS)
    steps = {variant: [] for variant in variants}
    for _ in range(20):
        training.step()
    for number in range(rounds):
        for variant in variants[number % len(variants) :] + variants[: number % len(variants)]:
            if recording is not None:
                recording.value = variant == "memtrace"
            record_by_torch(RECORDERS.get(variant))
            steps[variant].append(median_step(training))
    if recording is not None:
        recording.value = 1
    record_by_torch(None)

    texts = [f"plain {statistics.median(steps['plain']):.0f}"]
    for variant in variants[1:]:
        longer = [100 * (step / plain - 1) for step, plain in zip(steps[variant], steps["plain"])]
        low, middle, high = statistics.quantiles(longer, n=4)
        texts.append(f"{variant} {statistics.median(steps[variant]):.0f} ({middle:+.1f} %, {low:+.1f} to {high:+.1f})")
    print(", ".join(texts))


main()
