"""What the programs here say of themselves, for the comparisons of run.sh.

checkpoint("name", figure=bytes) leaves an NVTX mark in the trace and prints the figures, as ../torch/checkpoint.py does
for torch; figures are named as ../torch/compare_checkpoints.py names them, with _ for -. made(bytes) says that the line
which calls it has just taken so many bytes from the driver, in one call; compare_lines.py looks for them in the report.
"""

import os
import sys

try:
    from cupy.cuda.nvtx import Mark as mark
except ImportError:
    from torch.cuda.nvtx import mark


def checkpoint(name, **figures):
    told = "".join(f" {figure.replace('_', '-')} {number}" for figure, number in figures.items())
    print(f"checkpoint {name}{told}", flush=True)
    mark(name)


def made(thing, number):
    caller = sys._getframe(1)
    print(f"made {number} at {os.path.basename(caller.f_code.co_filename)}:{caller.f_lineno}", flush=True)
    return thing


def whole(number, unit):
    """The number rounded up to whole units."""
    return -(-number // unit) * unit
