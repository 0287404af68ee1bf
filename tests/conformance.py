"""Checks reference models in a folder against a table of verdicts and figures: `conformance.py DIR [--expected CSV]`.

The table has a line for each model: its path below DIR without `.fizz`, the verdict (passed, failed, deadlock, error,
liveness failures are failed), the property that fails, states, depth, whether the search was bounded, and the steps of
the counterexample. Empty cells are not compared. Prints one line per model and what differs; exit code 1 if anything
does, 2 if there is nothing to compare.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = ("verdict", "property", "states", "depth", "bounded", "trace_steps")


def figures(path: Path, engine: str) -> dict[str, str]:
    """What the check of a model comes to, in the words of the table."""
    from checker.check import check
    from fizz import FizzError

    try:
        report = check(path, engine=engine)
    except FizzError as refused:
        return {"verdict": f"refused: {refused.diagnostics[0].text}"}
    except OSError as problem:
        return {"verdict": f"unreadable: {problem.strerror}"}
    return {
        "verdict": "passed" if report.verdict == "bounded" else report.verdict,
        "property": report.leading or "",
        "states": str(report.states),
        "depth": str(report.depth),
        "bounded": str(report.cut > 0).lower(),
        "trace_steps": str(report.trace.steps) if report.trace else "",
    }


def differences(wanted: Mapping[str, str], found: Mapping[str, str]) -> Iterator[str]:
    """One sentence for each figure that is not as it should be."""
    for column in COLUMNS:
        # Whether the search was bounded is a question only if it found nothing.
        if column == "bounded" and wanted["verdict"] != "passed":
            continue
        if wanted.get(column) and wanted[column] != found.get(column, ""):
            yield f"{column} is {found.get(column) or 'missing'}, not {wanted[column]}"


def expected_beside(folder: Path) -> Path:
    """The table that belongs to a folder: `expected.csv` in it, or in the nearest folder above."""
    places = [folder, *folder.resolve().parents]
    found = [place / "expected.csv" for place in places if (place / "expected.csv").is_file()]
    return found[0] if found else folder / "expected.csv"


def say(line: str) -> None:
    sys.stdout.write(line + "\n")


def main(arguments: list[str] | None = None) -> int:
    """Print the table; the exit code."""
    parser = argparse.ArgumentParser(prog="conformance.py", description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument("folder", metavar="DIR", type=Path, help="where the models are")
    parser.add_argument("--expected", metavar="CSV", type=Path, help="the table; default: expected.csv in DIR or above")
    parser.add_argument("--engine", default="embedded", help="plain, embedded (default) or spark")
    parser.add_argument("--only", metavar="TEXT", default="", help="only the models whose name has this in it")
    given = parser.parse_args(arguments)
    table = given.expected or expected_beside(given.folder)
    try:
        with table.open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if given.only in row["example"]]
    except OSError as problem:
        sys.stderr.write(f"{table}: {problem.strerror}; name the table with --expected" + "\n")
        return 2
    if not rows:
        sys.stderr.write(f"{table} has no model to compare" + "\n")
        return 2
    failed = 0
    say(f"{'model':48} {'verdict':9} {'states':>8} {'depth':>6} {'seconds':>8}")
    for row in rows:
        begun = time.monotonic()
        found = figures(given.folder / f"{row['example']}.fizz", given.engine)
        wrong = list(differences(row, found))
        failed += bool(wrong)
        seconds = f"{time.monotonic() - begun:8.2f}"
        counts = f"{found.get('states', ''):>8} {found.get('depth', ''):>6}"
        say(f"{row['example']:48} {found['verdict']:9} {counts} {seconds}{''.join(f'  !! {text}' for text in wrong)}")
    say(f"{len(rows)} models, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
