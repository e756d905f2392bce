"""Runs a workload under torch's own memory recorder and writes what it saw: `record.py WORKLOAD STEPS OUT.json`.

The output is a list of [action, bytes, file, line, address], oldest first: tensor blocks' "alloc" and "free_completed"
with the innermost Python frame that torch recorded. Run under memtrace, the two lists must be equal (compare_recorder.py).
"""

import json
import sys

import torch
from workloads import Training

name, steps, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
torch.cuda.memory._record_memory_history(enabled="all", context="all", stacks="python", max_entries=10_000_000)
training = Training(name)
for _ in range(steps):
    training.step()
torch.cuda.synchronize()
rows = []
for entry in torch.cuda.memory._snapshot()["device_traces"][0]:
    if entry["action"] in ("alloc", "free_completed"):
        frames = entry.get("frames") or [{"filename": "", "line": 0}]
        place = [frames[0]["filename"], frames[0]["line"]]
        rows.append([entry["action"], entry["size"], *place, entry["addr"]])
torch.cuda.memory._record_memory_history(enabled=None)
with open(path, "w") as out:
    json.dump(rows, out)
print(f"{name}: {len(rows)} tensor events by torch's recorder")
