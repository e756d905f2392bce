"""E7: adding up `loss` instead of `loss.item()` keeps every step's graph alive."""

import torch
from checkpoint import checkpoint


def train(keep):
    model = torch.nn.Sequential(torch.nn.Linear(1024, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 1)).cuda()
    total = 0.0
    for _ in range(200):
        loss = model(torch.randn(256, 1024, device="cuda")).square().mean()
        total += loss if keep else loss.item()
    checkpoint("kept the loss" if keep else "took its value")


train(keep=True)
train(keep=False)
