"""Holds the report's figures against an allocator's own: `compare_checkpoints.py [OPTION...] OUTPUT TRACE`.

OUTPUT is what a script printed while it was traced into TRACE: at each of its NVTX marks, in order, a line `checkpoint
NAME FIGURE BYTES...`. The ledger must say the same at the same mark. It has these figures: those of its own mark lines
(tensors, peak, segments, physical, allocator, pools), and live-MEMORY, the bytes of that memory that came and have not
gone (live-device, live-physical, live-pool). torch's allocated, peak and reserved are, unless --figures says otherwise,
tensors, peak and segments. Prints a line for each checkpoint that differs and the counts; exits 0 when nothing differs,
1 otherwise.
"""

import argparse
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Dict, List, NamedTuple

TORCH = {"allocated": "tensors", "peak": "peak", "reserved": "segments"}
MARKED = ("tensors", "peak", "segments", "physical", "allocator", "pools")
PRINTED = "|".join((*TORCH, *MARKED, "live-[a-z]+"))
REPORT = Path(__file__).resolve().parents[3] / "build" / "memtrace-report"


class Checkpoint(NamedTuple):
    name: str
    figures: Dict[str, int]


def printed_by_program(text: str) -> List[Checkpoint]:
    pattern = re.compile(rf"^checkpoint (.+?)((?: (?:{PRINTED}) \d+)+)$", re.MULTILINE)
    return [
        Checkpoint(m[1], {name: int(number) for name, number in re.findall(r"(\S+) (\d+)", m[2])})
        for m in pattern.finditer(text)
    ]


def seen_in_ledger(text: str, device: int) -> List[Checkpoint]:
    mark = re.compile(rf"@ {device} " + " ".join(rf"{name} (\d+)" for name in MARKED) + r" (.*)")
    live: Dict[str, int] = defaultdict(int)
    seen = []
    for line in text.splitlines():
        found = mark.fullmatch(line)
        if found:
            figures = {name: int(number) for name, number in zip(MARKED, found.groups())}
            figures.update((f"live-{memory}", number) for memory, number in live.items())
            seen.append(Checkpoint(found[len(MARKED) + 1], figures))
        elif line[:2] in ("+ ", "- "):
            _, number, memory = line.split(" ")[:3]
            live[memory] += int(number) if line[0] == "+" else -int(number)
    return seen


def differences(printed: List[Checkpoint], seen: List[Checkpoint], names: Dict[str, str]) -> List[str]:
    lines = []
    for number in range(max(len(printed), len(seen))):
        theirs = printed[number] if number < len(printed) else None
        ours = seen[number] if number < len(seen) else None
        if theirs is None or ours is None or theirs.name != ours.name:
            lines.append(f"{number}: printed {theirs and theirs.name!r}, marked {ours and ours.name!r}")
            continue
        compared = {name: names.get(name, name) for name in theirs.figures if name in names or name not in TORCH}
        wrong = [
            f"{name} {ours.figures.get(of, 0)} (printed: {theirs.figures[name]})"
            for name, of in compared.items()
            if ours.figures.get(of, 0) != theirs.figures[name]
        ]
        if wrong:
            lines.append(f"{number} {theirs.name}: {', '.join(wrong)}")
    return lines


def named(text: str) -> Dict[str, str]:
    return dict(pair.split("=", 1) for pair in text.split(","))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", default=str(REPORT), help="memtrace-report to use")
    parser.add_argument("--device", type=int, default=0, help="CUDA device the script printed the figures of")
    parser.add_argument(
        "--figures", type=named, default=TORCH, help="PRINTED=OURS,...: which of torch's figures to hold against what"
    )
    parser.add_argument("output")
    parser.add_argument("trace")
    options = parser.parse_args()
    printed = printed_by_program(Path(options.output).read_text())
    command = [options.report, "--ledger", "--device", str(options.device), options.trace]
    ledger = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    wrong = differences(printed, seen_in_ledger(ledger.stdout, options.device), options.figures)
    for line in wrong:
        print(line)
    print(f"{len(printed)} checkpoints, {len(wrong)} mismatches")
    return 1 if wrong or not printed else 0


if __name__ == "__main__":
    sys.exit(main())
