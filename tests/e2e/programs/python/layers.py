"""Allocates device memory from Python, through the CUDA runtime alone: as methods, generators and callbacks do."""

import ctypes
import functools
import sys

cudart = ctypes.CDLL(sys.argv[1])
cudart.cudaMalloc.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t]
cudart.cudaFree.argtypes = [ctypes.c_void_p]


class Layer:
    def __init__(self, size):
        self.memory = ctypes.c_void_p()
        cudart.cudaMalloc(ctypes.byref(self.memory), size)

    def free(self):
        cudart.cudaFree(self.memory)


def layers(count):
    for i in range(count):
        yield Layer((i + 1) << 20)


def größe_des_modells():
    return [Layer(4096) for _ in range(2)]


def merge(model, size):
    return model + [Layer(size)]


model = list(layers(2))
model += größe_des_modells()
model = functools.reduce(merge, [100, 200], model)
for layer in model:
    layer.free()
