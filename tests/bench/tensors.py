"""Prints what a tensor's coming and going costs, in ns, under nested Python calls as torch.nn.Module makes them.

tensors.py CUDART LIBTENSORS COUNT; the tracer's session begins with the CUDA runtime.
"""

import ctypes
import sys

DEPTH = 8


class Module:
    def __init__(self, inner):
        self.inner = inner

    def __call__(self, *inputs):
        return self.call(*inputs)

    def call(self, *inputs):
        return self.forward(*inputs)

    def forward(self, *inputs):
        return self.inner(*inputs)


ctypes.CDLL(sys.argv[1]).cudaFree(None)
time_tensors = ctypes.CDLL(sys.argv[2]).time_tensors
time_tensors.restype = ctypes.c_double
call = time_tensors
for _ in range(DEPTH):
    call = Module(call)
call(1000)
print(f"{min(call(int(sys.argv[3]) // 5) for _ in range(5)):.1f}")
