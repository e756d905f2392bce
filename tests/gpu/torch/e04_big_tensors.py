"""E4: tensors of known size come and go, then the parameters of VGG-19."""

import torch
import torchvision
from checkpoint import checkpoint

tensors = [torch.empty(n, 3, 512, 512, device="cuda") for n in (30, 40, 60)]
checkpoint("three tensors")
tensors += [torch.empty(n, 3, 512, 512, device="cuda") for n in (80, 120)]
checkpoint("five tensors")
del tensors[0], tensors[0]
checkpoint("three tensors left")
tensors.clear()
model = torchvision.models.vgg19(weights=None).cuda()
checkpoint("VGG-19")
