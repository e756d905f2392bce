"""Holds our tensor events against torch's own memory recorder: `compare_recorder.py [--report PROGRAM] JSON TRACE`.

JSON is what record.py wrote while it was traced into TRACE: a list of [action, bytes, file, line, address]. Event
for event, both must tell the same action, address, size and innermost Python line. Prints the first differences and their
number (the aim is 0); exits 0 when there are none, 1 otherwise.

Where the two lists mean different things, this says so and compares what both know:
  * torch records the bytes asked for, the trace those of the block that was handed out. A block is the request rounded
    up to 512 bytes; of a large request the rest of a free block, up to 1 MiB, is left on it instead of being split off
    (DeviceCachingAllocator::should_split).
  * torch's free_completed is the free: free_requested stands before it where other streams still used the block.
  * Threads of the autograd engine run without Python frames in both.
  * torch begins to record after it was imported and ends before the program does: what the trace tells behind
    torch's last entry is counted, not compared.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional

REPORT = Path(__file__).resolve().parents[3] / "build" / "memtrace-report"
ROUND, LARGE, UNSPLIT = 512, 1 << 20, 1 << 20  # kMinBlockSize, kSmallSize, and what a large block may keep
ACTIONS = {"alloc": "alloc", "free_completed": "free"}


class Event(NamedTuple):
    action: str
    bytes: int
    place: str  # "module.py:1097"; "" where no Python frame exists
    address: Optional[int]  # None: the list was written without


def told_by_torch(rows: List[list]) -> List[Event]:
    return [
        Event(ACTIONS[action], size, f"{Path(file).name}:{line}" if file else "", address[0] if address else None)
        for action, size, file, line, *address in rows
    ]


def innermost_python(stack: str) -> str:
    for frame in stack.split(" < "):
        match = re.match(r"([^ ]+\.py|<[^ ]+>):(\d+)( |$)", frame)
        if match:
            return f"{match[1]}:{match[2]}"
    return ""


def seen_in_dump(lines: Iterator[str]) -> Iterator[Event]:
    """Blocks of tensors; record.py uses one device."""
    head = re.compile(r"^[0-9.]+ \d+ (allocated|freed) torch (?:malloc|free) address=(0x[0-9a-f]+)(?: bytes=(\d+))?")
    live: Dict[str, int] = {}
    for line in lines:
        match = head.match(line)
        if not match:
            continue
        stack = line.rstrip("\n").partition(" | ")[2]
        if match[1] == "allocated":
            live[match[2]] = int(match[3])
            yield Event("alloc", int(match[3]), innermost_python(stack), int(match[2], 16))
        else:
            yield Event("free", live.pop(match[2], 0), innermost_python(stack), int(match[2], 16))


def fits(asked: int, block: int) -> bool:
    rounded = max(ROUND, -(-asked // ROUND) * ROUND)
    return block == rounded or (asked > LARGE and rounded < block <= rounded + UNSPLIT)


def same(theirs: Event, mine: Event) -> bool:
    if theirs.action != mine.action or theirs.place != mine.place or not fits(theirs.bytes, mine.bytes):
        return False
    return theirs.address is None or theirs.address == mine.address


def differences(torch: List[Event], ours: List[Event]) -> List[str]:
    lines = []
    for number in range(max(len(torch), len(ours))):
        theirs = torch[number] if number < len(torch) else None
        mine = ours[number] if number < len(ours) else None
        if not theirs or not mine or not same(theirs, mine):
            lines.append(f"{number}: torch {theirs and tuple(theirs)}, memtrace {mine and tuple(mine)}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", default=str(REPORT), help="memtrace-report to use")
    parser.add_argument("--show", type=int, default=10, help="differences to print")
    parser.add_argument("json")
    parser.add_argument("trace")
    options = parser.parse_args()
    torch = told_by_torch(json.loads(Path(options.json).read_text()))
    with subprocess.Popen([options.report, "--dump", options.trace], stdout=subprocess.PIPE, text=True) as dump:
        ours = list(seen_in_dump(dump.stdout))
    wrong = differences(torch, ours[: len(torch)])
    for line in wrong[: options.show]:
        print(line)
    print(f"{len(torch)} tensor events, {len(wrong)} mismatches; {len(ours) - len(torch)} more after torch's recorder ended")
    return 1 if wrong or not torch else 0


if __name__ == "__main__":
    sys.exit(main())
