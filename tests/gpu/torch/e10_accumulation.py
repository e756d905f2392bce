"""E10: four micro-batches of 16 give the gradients of one batch of 64 at a quarter of the activations."""

import torch
from checkpoint import checkpoint

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(1024, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 1)).cuda()
x = torch.randn(64, 1024, device="cuda")
model(x).square().mean().backward()
checkpoint("one batch of 64")
whole = [p.grad.clone() for p in model.parameters()]
model.zero_grad(set_to_none=True)
for micro in x.split(16):
    (model(micro).square().mean() / 4).backward()
checkpoint("four batches of 16")
error = max(((a - p.grad).norm() / a.norm()).item() for a, p in zip(whole, model.parameters()))
print(f"gradients agree to {error:.1e}")
