"""E9: 256 GiB are refused; the program goes on with less."""

import torch
from checkpoint import checkpoint

held = torch.empty(100 << 20, dtype=torch.uint8, device="cuda")
try:
    torch.empty(256 << 30, dtype=torch.uint8, device="cuda")
except torch.cuda.OutOfMemoryError as error:
    print("refused:", str(error).split(".")[0])
checkpoint("refused")
smaller = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
checkpoint("went on")
