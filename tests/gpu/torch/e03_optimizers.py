"""E3: bytes that stay after a step, as a multiple of the parameters: SGD 2, momentum 3, AdamW 4."""

import torch
from checkpoint import checkpoint

makers = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.01),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9),
    "adamw": lambda p: torch.optim.AdamW(p),
}
for name, make in makers.items():
    model = torch.nn.Sequential(
        torch.nn.Linear(1024, 1024, bias=False), torch.nn.ReLU(inplace=True), torch.nn.Linear(1024, 1024, bias=False)
    ).cuda()
    optimizer = make(model.parameters())
    for batch in (1, 64):
        model(torch.randn(batch, 1024, device="cuda")).square().mean().backward()
        checkpoint(f"{name} backward of batch {batch}")
        optimizer.step()
        checkpoint(f"{name} step of batch {batch}")
    del model, optimizer
    checkpoint(f"{name} gone")
