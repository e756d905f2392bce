"""What every experiment here uses to say where it is and what torch's own allocator counts there.

checkpoint("name") leaves an NVTX mark in the trace and prints one line with torch's figures at that moment; the
comparison (compare_checkpoints.py) holds the report's figures at the same mark against that line, byte for byte.
"""

import torch


def checkpoint(name):
    torch.cuda.synchronize()
    print(
        f"checkpoint {name}"
        f" allocated {torch.cuda.memory_allocated()}"
        f" peak {torch.cuda.max_memory_allocated()}"
        f" reserved {torch.cuda.memory_reserved()}",
        flush=True,
    )
    torch.cuda.nvtx.mark(name)
