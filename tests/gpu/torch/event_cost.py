"""What one tensor block and one launch cost: `event_cost.py [DEPTH]` prints ns per allocation + free and per launch.

The calls stand under DEPTH nested modules, since a call stack's depth is what a traced event costs. The best of 9
rounds of 2000 is printed; run it plain and traced by turns.
"""

import sys
import time

import torch


class Nested(torch.nn.Module):
    def __init__(self, depth, work):
        super().__init__()
        self.inner = Nested(depth - 1, work) if depth else None
        self.work = work

    def forward(self, x):
        return self.inner(x) if self.inner else self.work(x)


def best(work, x):
    model = Nested(int(sys.argv[1]) if len(sys.argv) > 1 else 8, lambda x: timed(work, x))
    return min(model(x) for _ in range(9))


def timed(work, x):
    torch.cuda.synchronize()
    start = time.perf_counter_ns()
    for _ in range(2000):
        work(x)
    elapsed = time.perf_counter_ns() - start
    torch.cuda.synchronize()
    return elapsed / 2000


def allocate(x):
    torch.empty(1000, device="cuda")


def launch(x):
    x.add_(1)


x = torch.zeros(1000, device="cuda")
best(launch, x)
print(f"{best(allocate, x):.0f} {best(launch, x):.0f}")
