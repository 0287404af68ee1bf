"""`python -m benchmarks`: the tables of docs/performance.md. `--smoke` runs the small rows alone.

`--shapes` runs the models of `models/shapes` instead, each within a time limit.

`--growth FILE.svg` runs one model in ever larger sizes instead, and draws its picture.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from benchmarks.growth import GROWTH, draw
from benchmarks.measure import Measured, TooLong, Wrong, measure
from benchmarks.rows import FULL, SMOKE, Row
from benchmarks.shapes import LIMIT_S, shapes

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


def table(rows: Iterable[Row], repeat: int) -> list[tuple[Row, Measured]]:
    """Print the table as it grows. Raises `Wrong` if some answer is."""
    print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}", flush=True)
    measured = []
    for row in rows:
        try:
            found = measure(row, "embedded", repeat)
        except TooLong:
            print(f"| {row.title} | {row.states:,} | {row.transitions:,} | over {row.limit_s} |", flush=True)
            continue
        plain = measure(row, "plain") if row.plain else None
        print(f"| {' | '.join(cells(row, found, plain))} |", flush=True)
        measured.append((row, found))
    return measured


def main() -> int:
    """Measure; 1 if some answer is wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="the small rows alone")
    parser.add_argument(
        "--shapes", action="store_true", help=f"the models of models/shapes, at most {LIMIT_S} CPU seconds each"
    )
    parser.add_argument("--repeat", type=int, default=1, help="runs of each row, of which the fastest counts")
    parser.add_argument("--growth", type=Path, metavar="FILE", help="one model in ever larger sizes, drawn to FILE")
    parser.add_argument("--only", default="", metavar="TEXT", help="the rows with TEXT in their names")
    parser.add_argument("--no-plain", action="store_true", help="leave out the plain engine, which takes minutes")
    chosen = parser.parse_args()
    if chosen.growth is not None and find_spec("matplotlib") is None:
        parser.error("--growth draws with matplotlib: pip install 'fizzpy[benchmarks]'")
    try:
        if chosen.growth is not None:
            draw(table(GROWTH, chosen.repeat), chosen.growth)
        else:
            rows = shapes() if chosen.shapes else SMOKE if chosen.smoke else FULL
            rows = [row for row in rows if chosen.only in row.title]
            table([replace(row, plain=False) for row in rows] if chosen.no_plain else rows, chosen.repeat)
    except Wrong as wrong:
        print(wrong, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
