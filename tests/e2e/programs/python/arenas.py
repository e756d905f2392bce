"""What frameworks with an arena of their own do to the device: arenas.py CUDART XLA_CUDA_PLUGIN, the latter the stand-in
of tests/fakes/. Buffers that JAX's platform allocator takes one by one, a compilation, JAX's arena, and arrays of CuPy
by cudaMallocAsync."""

import ctypes
import sys

MIB = 1 << 20
cudart = ctypes.CDLL(sys.argv[1])
xla = ctypes.CDLL(sys.argv[2])
xla.fake_xla_take.restype = ctypes.c_uint64
xla.fake_xla_take.argtypes = [ctypes.c_size_t]
xla.fake_xla_give.argtypes = [ctypes.c_uint64]


class Array:
    def __init__(self, number):
        self.address = ctypes.c_void_p()
        assert cudart.cudaMallocAsync(ctypes.byref(self.address), ctypes.c_size_t(number), None) == 0

    def free(self):
        assert cudart.cudaFreeAsync(self.address, None) == 0


def jit(module):
    xla.fake_xla_compile(module)


def step(weights):
    jit(b"jit_step")
    update = xla.fake_xla_take(4 * MIB)
    xla.fake_xla_give(weights)
    return update


assert cudart.cudaFree(None) == 0
weights = xla.fake_xla_take(4_000_000)
weights = step(weights)
arena = xla.fake_xla_take(96 * MIB)
a = Array(3 * MIB)
b = Array(400)
a.free()
