"""Holds the report's account of a device against the device's own figures: `reconcile.py OUTPUT TRACE DEVICE`.

OUTPUT is what ddp.py wrote. Its figure `with-nccl` was taken when most was in use, `at-exit` at the end: the two
moments of `memtrace-report --hidden`. Prints for each, tab-separated, what two.sh puts into its table: check, expected,
found, passed or FAILED. Figures may differ by 1 % or 4 MiB, whichever is more; so much may be unexplained. Exits 0 when
all passed.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import Dict, NamedTuple, Optional

REPORT = Path(__file__).resolve().parents[3] / "build" / "memtrace-report"
MOMENTS = {"with-nccl": "at most", "at-exit": "at exit"}
MIB = 2**20


class Account(NamedTuple):
    in_use: int
    unexplained: int
    own: bool  # of the process alone, not of the device
    others: int  # in use on the device by others


class Figure(NamedTuple):
    device: int
    process: Optional[int]


def figures(text: str) -> Dict[str, Figure]:
    pattern = re.compile(r"^figure (\S+) device (\d+) process (\d+|-)$", re.MULTILINE)
    return {m[1]: Figure(int(m[2]), None if m[3] == "-" else int(m[3])) for m in pattern.finditer(text)}


def number(text: str) -> int:
    return int(text.replace(",", ""))


def accounts(text: str) -> Dict[str, Account]:
    """By moment, of the one device that the report was asked for."""
    found = {}
    for block in re.split(r"^(?=Device \d+)", text, flags=re.MULTILINE):
        head = re.match(r"Device .*: ([\d,]+) bytes \(.*\) in use (at most|at exit)", block)
        unexplained = re.search(r"^ +(-?[\d,]+) .* unexplained$", block, re.MULTILINE)
        others = re.search(r"^  Beside it, ([\d,]+) bytes", block, re.MULTILINE)
        if head and unexplained:
            found[head[2]] = Account(
                number(head[1]),
                number(unexplained[1]),
                "This process alone" in block,
                number(others[1]) if others else 0,
            )
    return found


def expected_use(figure: Figure, account: Account) -> int:
    if account.own and figure.process is not None:
        return figure.process
    return figure.device - account.others


def row(check: str, expected: str, found: str, passed: bool) -> bool:
    print(check, expected, found, "passed" if passed else "FAILED", sep="\t")
    return passed


def compare(name: str, moment: str, figure: Optional[Figure], account: Optional[Account]) -> bool:
    if not figure or not account:
        missing = "the program's figure" if not figure else "the report's account"
        return row(f"memory in use, {name}", "a figure of each", f"{missing} is missing", False)
    expected = expected_use(figure, account)
    allowed = max(4 * MIB, expected // 100)
    whose = "process" if account.own and figure.process is not None else "device"
    in_use = row(
        f"memory in use, {name} ({whose})",
        f"{expected} ± {allowed}",
        f"{account.in_use} ({account.in_use - expected:+d})",
        abs(account.in_use - expected) <= allowed,
    )
    unexplained = row(
        f"unexplained, {moment}", f"at most {allowed}", str(account.unexplained), abs(account.unexplained) <= allowed
    )
    return in_use and unexplained


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", default=str(REPORT), help="memtrace-report to use")
    parser.add_argument("output")
    parser.add_argument("trace")
    parser.add_argument("device")
    options = parser.parse_args()
    output = Path(options.output)
    theirs = figures(output.read_text()) if output.exists() else {}
    command = [options.report, "--hidden", "--device", options.device, options.trace]
    ours = accounts(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout)
    passed = [compare(name, moment, theirs.get(name), ours.get(moment)) for name, moment in MOMENTS.items()]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
