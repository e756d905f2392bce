"""A caching allocator as PyTorch has it, in small: one segment by cudaMalloc, blocks in it reported to c10's profiler.

tensors.py CUDART LIBC10_CUDA LIBTORCH_PYTHON, the latter two the stand-ins of tests/fakes/.
"""

import ctypes
import sys

cudart = ctypes.CDLL(sys.argv[1])
cudart.cudaMalloc.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t]
cudart.cudaFree.argtypes = [ctypes.c_void_p]
c10 = ctypes.CDLL(sys.argv[2])
c10.fake_torch_block.argtypes = [ctypes.c_int] * 3 + [ctypes.c_uint64, ctypes.c_int64] + [ctypes.c_uint64] * 2
c10.fake_torch_out_of_memory.argtypes = [ctypes.c_int] * 2 + [ctypes.c_int64] + [ctypes.c_uint64] * 2
torch = ctypes.CDLL(sys.argv[3])
torch.fake_torch_backward_block.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int64] + [ctypes.c_uint64] * 2

SEGMENT = 2 << 20
CUDA = 1
base = ctypes.c_void_p()
allocated = 0
next_block = 0


def report(block, size):
    global allocated
    allocated += size
    c10.fake_torch_block(0, CUDA, 0, block, size, allocated, SEGMENT)


def backward(block, size):
    global allocated
    allocated += size
    reporter = ctypes.cast(c10.fake_torch_block, ctypes.c_void_p)
    torch.fake_torch_backward_block(reporter, block, size, allocated, SEGMENT)


class Tensor:
    def __init__(self, size, report=report):
        global next_block
        if not base.value:
            cudart.cudaMalloc(ctypes.byref(base), SEGMENT)
        self.block, self.size = base.value + next_block, size
        next_block += size
        report(self.block, size)

    def __del__(self):
        report(self.block, -self.size)


class Linear:
    def __init__(self):
        self.weight = Tensor(65536)
        self.gradient = None

    def forward(self):
        return Tensor(4096)


def train(model):
    for _ in range(2):
        output = model.forward()
        model.gradient = None
        model.gradient = Tensor(65536, report=backward)
        del output


model = Linear()
train(model)
c10.fake_torch_out_of_memory(0, 0, 1 << 40, allocated, SEGMENT)
del model
cudart.cudaFree(base)
