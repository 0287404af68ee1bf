"""`python -m benchmarks`: the table of docs/performance.md. `--smoke` runs the small rows alone."""

from __future__ import annotations

import argparse
import sys

from benchmarks.measure import Measured, Wrong, measure
from benchmarks.rows import FULL, SMOKE, Row

HEAD = ("model", "states", "transitions", "CPU s", "states/CPU s", "MB", "calls per 1,000 transitions", "plain, CPU s")


def cells(row: Row, found: Measured, plain: Measured | None) -> list[str]:
    """One line of the table."""
    return [
        row.title,
        f"{row.states:,}",
        f"{row.transitions:,}",
        f"{found.cpu_s:.1f}",
        f"{row.states / found.cpu_s:,.0f}",
        f"{found.peak_memory_mb:.0f}",
        f"{1000 * found.calls / row.transitions:.1f}",
        f"{plain.cpu_s:.1f}" if plain is not None else "",
    ]


def main() -> int:
    """Print the table as it grows; 1 if some answer is wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="the small rows alone")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each row, of which the fastest counts")
    chosen = parser.parse_args()
    print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}", flush=True)
    for row in SMOKE if chosen.smoke else FULL:
        try:
            found = measure(row, "embedded", chosen.repeat)
            plain = measure(row, "plain") if row.plain else None
        except Wrong as wrong:
            print(wrong, file=sys.stderr)
            return 1
        print(f"| {' | '.join(cells(row, found, plain))} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
