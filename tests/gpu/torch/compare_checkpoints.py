"""Holds the report's tensor figures against torch's own: `compare_checkpoints.py [--report PROGRAM] OUTPUT TRACE`.

OUTPUT is what a script using checkpoint.py printed while it was traced into TRACE. At each of its NVTX marks, in order,
the bytes allocated, their peak so far and the bytes reserved (segments) must be what torch printed there. Prints a line
for each checkpoint that differs and the counts; exits 0 when nothing differs, 1 otherwise.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import List, NamedTuple

FIGURES = ("allocated", "peak", "reserved")
REPORT = Path(__file__).resolve().parents[3] / "build" / "memtrace-report"


class Checkpoint(NamedTuple):
    name: str
    allocated: int
    peak: int
    reserved: int


def printed_by_torch(text: str) -> List[Checkpoint]:
    pattern = re.compile(r"^checkpoint (.*) allocated (\d+) peak (\d+) reserved (\d+)$", re.MULTILINE)
    return [Checkpoint(m[1], int(m[2]), int(m[3]), int(m[4])) for m in pattern.finditer(text)]


def seen_in_ledger(text: str, device: int) -> List[Checkpoint]:
    pattern = re.compile(rf"^@ {device} tensors (\d+) peak (\d+) segments (\d+) (.*)$", re.MULTILINE)
    return [Checkpoint(m[4], int(m[1]), int(m[2]), int(m[3])) for m in pattern.finditer(text)]


def differences(torch: List[Checkpoint], seen: List[Checkpoint]) -> List[str]:
    lines = []
    for number in range(max(len(torch), len(seen))):
        theirs = torch[number] if number < len(torch) else None
        ours = seen[number] if number < len(seen) else None
        if theirs is None or ours is None or theirs.name != ours.name:
            lines.append(f"{number}: printed {theirs and theirs.name!r}, marked {ours and ours.name!r}")
            continue
        wrong = [f for f in FIGURES if getattr(theirs, f) != getattr(ours, f)]
        if wrong:
            figures = ", ".join(f"{f} {getattr(ours, f)} (torch: {getattr(theirs, f)})" for f in wrong)
            lines.append(f"{number} {theirs.name}: {figures}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", default=str(REPORT), help="memtrace-report to use")
    parser.add_argument("--device", type=int, default=0, help="CUDA device the script printed the figures of")
    parser.add_argument("output")
    parser.add_argument("trace")
    options = parser.parse_args()
    torch = printed_by_torch(Path(options.output).read_text())
    ledger = subprocess.run([options.report, "--ledger", options.trace], stdout=subprocess.PIPE, text=True, check=True)
    wrong = differences(torch, seen_in_ledger(ledger.stdout, options.device))
    for line in wrong:
        print(line)
    print(f"{len(torch)} checkpoints, {len(wrong)} mismatches")
    return 1 if wrong or not torch else 0


if __name__ == "__main__":
    sys.exit(main())
