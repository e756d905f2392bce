"""Looks in the default report for what a program said its lines had taken: `compare_lines.py [--report PROGRAM] OUTPUT
TRACE`.

For each line `made BYTES at FILE:LINE` of OUTPUT the report must have a row of that many bytes at that line, and each
row must name a line of the program. Prints what is not so, and how many rows there are. Exits 0 when all is so.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

REPORT = Path(__file__).resolve().parents[3] / "build" / "memtrace-report"
ROW = re.compile(r"^\+ \| \d+ \* Size:(.*?) +\| Memory: .*? \| (.*?) +\| (\S+)(.*)$", re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", default=str(REPORT), help="memtrace-report to use")
    parser.add_argument("--program", required=True, help="its file name, as rows show it")
    parser.add_argument("output")
    parser.add_argument("trace")
    options = parser.parse_args()
    report = subprocess.run([options.report, options.trace], stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = ROW.findall(report)
    made = re.findall(r"^made (\d+) at (\S+)$", Path(options.output).read_text(), re.MULTILINE)
    missing = [(number, place) for number, place in made if not any(r[0] == number and r[2] == place for r in rows)]
    for number, place in missing:
        there = "; ".join(f"{size} by {call}" for size, call, at, _ in rows if at == place)
        print(f"{place}: no row of {number} bytes; there: {there or 'no row'}")
    ours = [row for row in rows if row[2].startswith(f"{options.program}:")]
    for size, call, place, rest in rows:
        if not place.startswith(f"{options.program}:"):
            print(f"  elsewhere: {size} by {call} at {place}{rest}")
    print(f"{len(made) - len(missing)} of {len(made)} lines found; {len(ours)} of {len(rows)} rows name a line of it")
    return 1 if missing or not rows or len(ours) < len(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
