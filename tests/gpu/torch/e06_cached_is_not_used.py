"""E6: freed tensors stay reserved until the cache is emptied."""

import torch
from checkpoint import checkpoint

tensors = [torch.empty(64 << 20, dtype=torch.uint8, device="cuda") for _ in range(4)]
checkpoint("four tensors")
del tensors
checkpoint("freed")
torch.cuda.empty_cache()
checkpoint("cache emptied")
