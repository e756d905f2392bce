"""Fault: functions that are made anew, of one name and file, with a line that moved, kept the lines of the one before.
Allocates 1000 bytes and as many as the number of its line, and frees them again, in functions that come and go: by exec
with blank lines in other places, by reloading an edited module, under file names that differ at their beginning alone.
Prints how often."""
import ctypes
import importlib
import os
import random
import sys

cuda = ctypes.CDLL("libcuda.so.1")
device, context, pointer = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
assert cuda.cuInit(0) == 0 and cuda.cuDeviceGet(ctypes.byref(device), 0) == 0
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0 and cuda.cuCtxSetCurrent(context) == 0
calls = 0


def call(size):
    global calls
    calls += 1
    assert cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(size)) == 0
    assert cuda.cuMemFree_v2(pointer) == 0


def source(blank, length, head="def step(call, sys):"):
    lines = [head] + [f"    a{i} = {i}" for i in range(length)] + [""] * blank
    lines += ["    call(1000 + sys._getframe().f_lineno)"] + [f"    b{i} = {i}" for i in range(length)]
    return "\n".join(lines) + "\n"


def generated(length, file):
    names = {}
    exec(compile(source(random.randrange(6), length), file, "exec"), names)
    names.pop("step")(call, sys)


def reloaded(module, blank):
    with open("edited.py", "w") as file:
        file.write(source(blank, 12))
    importlib.invalidate_caches()
    if module:
        module.step = None
        importlib.reload(module)
    else:
        module = importlib.import_module("edited")
    module.step(call, sys)
    return module


random.seed(1)
sys.dont_write_bytecode = True
sys.path.insert(0, os.getcwd())
for length in 3, 12, 40, 200:
    for _ in range(100):
        generated(length, "<generated>")
for _ in range(100):
    generated(20, random.choice(["<a/generated of one length>", "<b/generated of one length>"]))
module = None
for i in range(20):
    module = reloaded(module, i % 4)
print(calls)
