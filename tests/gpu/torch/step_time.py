"""Time of a training step: `step_time.py WORKLOAD [recorder]` prints the median and the least of 200 in microseconds.

Run plain, under memtrace, and with torch's own recorder on (`recorder`), by turns, in one run (run.sh).
"""

import statistics
import sys
import time

import torch
from workloads import Training

training = Training(sys.argv[1])
for _ in range(20):
    training.step()
if "recorder" in sys.argv[2:]:
    torch.cuda.memory._record_memory_history(enabled="all", context="all", stacks="python", max_entries=10_000_000)
times = []
for _ in range(200):
    torch.cuda.synchronize()
    start = time.perf_counter()
    training.step()
    torch.cuda.synchronize()
    times.append(time.perf_counter() - start)
print(f"{statistics.median(times) * 1e6:.0f} {min(times) * 1e6:.0f}")
