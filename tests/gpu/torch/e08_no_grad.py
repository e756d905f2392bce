"""E8: what a forward pass keeps, with gradients and without."""

import torch
from checkpoint import checkpoint

model = torch.nn.Sequential(torch.nn.Linear(1024, 1024, bias=False), torch.nn.Linear(1024, 1, bias=False)).cuda()
x = torch.randn(8192, 1024, device="cuda")
model(x)
checkpoint("warm")
output = model(x)
checkpoint("with gradients")
del output
with torch.no_grad():
    output = model(x)
checkpoint("without gradients")
