"""E2: Linear(1024, 1024) then Linear(1024, 1) on a (1024, 1024) input, two passes while the old loss is held."""

import torch
from checkpoint import checkpoint

first = torch.nn.Linear(1024, 1024, bias=False, device="cuda")
checkpoint("first layer")
second = torch.nn.Linear(1024, 1, bias=False, device="cuda")
checkpoint("second layer")
x = torch.randn(1024, 1024, device="cuda")
checkpoint("input")
for step in range(2):
    output = second(first(x))
    checkpoint(f"forward {step}")
    loss = output.sum()
    checkpoint(f"loss {step}")
    loss.backward()
    checkpoint(f"backward {step}")
