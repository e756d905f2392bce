"""E5: a VGG-19 forward: what the device holds beside the weights (context, kernels, workspaces, slack)."""

import torch
import torchvision
from checkpoint import checkpoint

model = torchvision.models.vgg19(weights=None).cuda().eval()
checkpoint("weights")
with torch.no_grad():
    model(torch.randn(1, 3, 224, 224, device="cuda"))
checkpoint("forward")
free, total = torch.cuda.mem_get_info()
print(f"device memory in use {total - free}")
