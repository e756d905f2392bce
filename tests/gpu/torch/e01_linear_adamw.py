"""E1: one Linear(1024, 1024), AdamW, one sample: what each line of a training step costs."""

import torch
from checkpoint import checkpoint

model = torch.nn.Linear(1024, 1024, bias=False, device="cuda")
checkpoint("model defined")
optimizer = torch.optim.AdamW(model.parameters())
x = torch.randn(1024, device="cuda")
checkpoint("input")
for step in range(3):
    output = model(x)
    checkpoint(f"forward {step}")
    loss = output.square().mean()
    checkpoint(f"loss {step}")
    loss.backward()
    del output
    checkpoint(f"backward {step}")
    optimizer.step()
    checkpoint(f"optimizer {step}")
