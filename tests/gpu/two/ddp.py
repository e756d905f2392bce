"""DistributedDataParallel on a small MLP, one process a GPU: `torchrun --nproc-per-node=2 ddp.py FOLDER`.

Each rank writes FOLDER/rank.N.txt: what torch counts at each checkpoint (../torch/checkpoint.py), and what the device
says is in use, once while NCCL's communicators exist and once without them:

    figure NAME device BYTES process BYTES    process: this process's, as NVML tells; - where it does not
"""

import ctypes
import os
import sys
from pathlib import Path

import torch
import torch.distributed
from torch.nn.parallel import DistributedDataParallel

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "torch"))
from checkpoint import checkpoint  # noqa: E402

RANK = int(os.environ["RANK"])
DEVICE = int(os.environ["LOCAL_RANK"])
STEPS = 5


class ProcessInfo(ctypes.Structure):
    """nvmlProcessInfo_t, as versions 2 and 3 of the query fill it in."""

    _fields_ = [
        ("pid", ctypes.c_uint),
        ("used", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    ]


def uuid():
    return "GPU-" + str(torch.cuda.get_device_properties(DEVICE).uuid).removeprefix("GPU-")


def own_bytes():
    """What NVML says that this process has on its device; None where it does not tell."""
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    handle, count, infos = ctypes.c_void_p(), ctypes.c_uint(64), (ProcessInfo * 64)()
    if nvml.nvmlInit_v2() or nvml.nvmlDeviceGetHandleByUUID(uuid().encode(), ctypes.byref(handle)):
        return None
    if nvml.nvmlDeviceGetComputeRunningProcesses_v3(handle, ctypes.byref(count), infos):
        return None
    own = [info.used for info in infos[: count.value] if info.pid == os.getpid()]
    return own[0] if own and own[0] != 2**64 - 1 else None


def figure(name):
    torch.cuda.synchronize()
    free, total = torch.cuda.mem_get_info()
    own = own_bytes()
    print(f"figure {name} device {total - free} process {'-' if own is None else own}", flush=True)


def main():
    sys.stdout = open(Path(sys.argv[1]) / f"rank.{RANK}.txt", "w")
    torch.cuda.set_device(DEVICE)
    print(f"device {DEVICE} {uuid()}", flush=True)
    torch.manual_seed(0)
    torch.distributed.init_process_group("nccl", device_id=torch.device("cuda", DEVICE))
    model = torch.nn.Sequential(torch.nn.Linear(1024, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10)).cuda()
    checkpoint("model")
    model = DistributedDataParallel(model, device_ids=[DEVICE])
    checkpoint("distributed")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = model(torch.randn(64, 1024, device="cuda")).square().mean()
        checkpoint(f"forward {step}")
        loss.backward()
        checkpoint(f"backward {step}")
        optimizer.step()
        checkpoint(f"step {step}")
    sums = torch.full((1,), float(RANK + 1), device="cuda")
    torch.distributed.all_reduce(sums)
    print(f"all-reduce {sums.item():.0f}", flush=True)
    checkpoint("all-reduce")
    figure("with-nccl")
    torch.distributed.destroy_process_group()
    checkpoint("without nccl")
    figure("at-exit")


if __name__ == "__main__":
    main()
