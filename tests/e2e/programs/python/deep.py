"""Allocates under 40 nested calls that each go through C code (map), so that most of the native stack is the interpreter's."""

import ctypes
import sys

cuda = ctypes.CDLL(sys.argv[1])


def descend(depth):
    if depth:
        list(map(descend, [depth - 1]))
    else:
        cuda.cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(4096))


descend(40)
