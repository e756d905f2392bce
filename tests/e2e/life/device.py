"""A Python process that uses the device through ctypes, and its children by subprocess and multiprocessing.

Usage: device.py work | subprocess | spawn | forkserver. Every process prints "ledger + BYTES device cuMemAlloc_v2".
"""
import ctypes
import multiprocessing
import subprocess
import sys

MIB = 1 << 20


def work(bytes_wanted):
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context, address = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    assert cuda.cuInit(0) == 0
    assert cuda.cuDeviceGet(ctypes.byref(device), 0) == 0
    assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
    assert cuda.cuCtxSetCurrent(context) == 0
    assert cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(bytes_wanted)) == 0
    print(f"ledger + {bytes_wanted} device cuMemAlloc_v2", flush=True)


def children(method):
    context = multiprocessing.get_context(method)
    processes = [context.Process(target=work, args=((2 + i) * MIB,)) for i in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return max(process.exitcode for process in processes)


def main():
    how = sys.argv[1]
    if how == "work":
        work(int(sys.argv[2]) * MIB)
        return 0
    work(1 * MIB)
    if how == "subprocess":
        return max(subprocess.call([sys.executable, __file__, "work", str(2 + i)]) for i in range(2))
    return children(how)


if __name__ == "__main__":
    sys.exit(main())
