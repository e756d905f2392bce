"""CuPy's default pool, which keeps what it got from cudaMalloc; `none`: no pool, each array by itself; `async`: CUDA's
own pool instead, by cudaMallocAsync; `asyncpool`: the same through CuPy's MemoryAsyncPool."""

import sys

import cupy
from marks import checkpoint, made, whole

MODE = sys.argv[1] if len(sys.argv) > 1 else "pool"
RESERVED, USED = 5, 7  # cudaMemPoolAttrReservedMemCurrent, …UsedMemCurrent
MIB = 1 << 20

if MODE == "none":
    cupy.cuda.set_allocator(None)
elif MODE == "async":
    cupy.cuda.set_allocator(cupy.cuda.malloc_async)
elif MODE == "asyncpool":
    cupy.cuda.set_allocator(cupy.cuda.MemoryAsyncPool().malloc)


# What is asked of the driver for an array: CuPy's own pools round.
def asked(number):
    return whole(number, 512) if MODE in ("pool", "asyncpool") else number


def figures(held):
    cupy.cuda.runtime.deviceSynchronize()
    if MODE == "pool":
        return {"live_device": cupy.get_default_memory_pool().total_bytes()}
    number = sum(asked(array.nbytes) for array in held)
    if MODE == "none":
        return {"live_device": number}
    pool = cupy.cuda.runtime.deviceGetMemPool(0)
    attributes = [cupy.cuda.runtime.memPoolGetAttribute(pool, which) for which in (RESERVED, USED)]
    print("reserved and used, as CUDA tells:", attributes, file=sys.stderr)
    return {"live_pool": number, "pools": attributes[0]}


a = made(cupy.zeros(3 * MIB // 4, cupy.float32), 3 * MIB)
small = made(cupy.zeros(100, cupy.float32), asked(400))
checkpoint("made", **figures([a, small]))
b = made(a + 2, 3 * MIB)
checkpoint("sum", **figures([a, small, b]))
del b
checkpoint("sum deleted", **figures([a, small]))
c = a + 3
checkpoint("made again", **figures([a, small, c]))
print("sum:", float(c.sum()))
del c
checkpoint("all but two deleted", **figures([a, small]))
cupy.get_default_memory_pool().free_all_blocks()
checkpoint("freed", **figures([a, small]))
