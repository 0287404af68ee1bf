"""Runs every model of some folders and says how far each comes: `parity.py DIR... [--expected CSV] [--why CSV]`.

A model is a file `*.fizz` that no other one includes, or an example in a page (`*.md`, `*.mdx`): a block between
`{{% fizzbee %}}` and `{{% /fizzbee %}}`, or a fenced block with front matter of its own. Each has limits
of time and states.

Prints a line for each model: corpus, model, whether it was parsed, verdict, states, the states that the table of
`--expected` has for it, and seconds; then for each corpus how many reach a verdict. `--why` names a table with the
columns model and reason: what it lists may be without a verdict, and its reason is printed. Exit code 1 if another
model is without a verdict, 2 if there is no model.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = {".md", ".mdx"}
SHORTCODE = re.compile(r"\{\{[%<] *fizzbee *[%>]\}\}[ \t]*\n(.*?)\{\{[%<] */ *fizzbee *[%>]\}\}", re.DOTALL)
FENCED_IN = re.compile(r"^ *```[ \t]*(\w*)[ \t]*$")
INCLUDED = re.compile(r'^include "([^"]+)"', re.MULTILINE)


@dataclass(frozen=True)
class Model:
    """One model: the corpus it is from, its name there, and its file."""

    corpus: str
    name: str
    path: Path


@dataclass(frozen=True)
class Outcome:
    """How far a model came: a verdict with its states, or the reason why there is none."""

    parsed: bool
    verdict: str
    states: str = ""
    reason: str = ""


def examples(page: Path) -> Iterator[tuple[int, str]]:
    """The models in a page, each with the line at which it begins."""
    text = page.read_text(encoding="utf-8", errors="replace")
    for found in SHORTCODE.finditer(text):
        yield text.count("\n", 0, found.start(1)) + 1, found[1]
    yield from fenced(SHORTCODE.sub(lambda found: "\n" * found[0].count("\n"), text))


def fenced(text: str) -> Iterator[tuple[int, str]]:
    """The fenced blocks of a page that begin with front matter and have an action; others are fragments."""
    opened: int | None = None
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not FENCED_IN.match(line):
            continue
        block = "\n".join(lines[opened + 1 : number]) if opened is not None else ""
        if opened is not None and block.lstrip().startswith("---") and "action " in block:
            yield opened + 2, block + "\n"
        opened = number if opened is None else None


def models(folder: Path, scratch: Path) -> Iterator[Model]:
    """All models of a folder, in the order of their names; those in pages are written to files in `scratch`."""
    corpus = folder.name
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in {".fizz", *PAGES})
    included = {
        (path.parent / name).resolve()
        for path in files
        for name in INCLUDED.findall(path.read_text("utf-8", "replace"))
    }
    for path in files:
        name = str(path.relative_to(folder))
        if path.suffix == ".fizz":
            if path.resolve() not in included:
                yield Model(corpus, name, path)
            continue
        for line, text in examples(path):
            place = scratch / corpus / f"{name.replace('/', '-')}-{line}" / "example.fizz"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
            yield Model(corpus, f"{name}:{line}", place)


def run(model: Model, seconds: int, max_states: int) -> Outcome:
    """Check one model."""
    from fizz import FizzError
    from fizzpy import check

    try:
        report = check(str(model.path), timeout=seconds, max_states=max_states, workers=1)
    except FizzError as refused:
        first = refused.diagnostics[0]
        return Outcome(False, "none", reason=f"line {first.span.line if first.span else 0}: {first.text}")
    except Exception as failure:  # noqa: BLE001 one model must not end the table
        return Outcome(True, "none", reason=f"{type(failure).__name__}: {failure}")
    if report.verdict == "bounded" and report.cut_by not in (None, "max_actions"):
        return Outcome(True, "cut", str(report.states), f"cut by {report.cut_by}")
    return Outcome(True, report.verdict, str(report.states), report.error.diagnostic.text if report.error else "")


def table(path: Path | None, key: str, value: str) -> dict[str, str]:
    """Two columns of a table, if there is one."""
    if path is None:
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {row[key]: row[value] for row in csv.DictReader(file)}


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(arguments: list[str] | None = None) -> int:
    """Print the lines; the exit code."""
    parser = argparse.ArgumentParser(prog="parity.py", description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument(
        "folders", metavar="DIR", type=Path, nargs="+", help="where the models are; a folder is a corpus"
    )
    parser.add_argument(
        "--expected", metavar="CSV", type=Path, help="a table with columns example (without .fizz) and states"
    )
    parser.add_argument("--why", metavar="CSV", type=Path, help="a table with columns model and reason")
    parser.add_argument("--seconds", type=int, default=60, help="time limit of a model; default 60")
    parser.add_argument(
        "--max-states", type=int, default=2_000_000, help="how many states a model may have; default 2,000,000"
    )
    parser.add_argument("--only", metavar="TEXT", default="", help="only the models whose name has this in it")
    given = parser.parse_args(arguments)
    known, why = table(given.expected, "example", "states"), table(given.why, "model", "reason")
    counts: dict[str, list[int]] = {}
    unexplained = 0
    with tempfile.TemporaryDirectory() as scratch:
        for folder in given.folders:
            for model in models(folder.resolve(), Path(scratch)):
                if given.only not in model.name:
                    continue
                begun = time.monotonic()
                outcome = run(model, given.seconds, given.max_states)
                reached = outcome.verdict not in {"none", "cut"}
                count = counts.setdefault(model.corpus, [0, 0, 0])
                count[0] += 1
                count[1] += outcome.parsed
                count[2] += reached
                theirs = next((states for name, states in known.items() if model.name.endswith(f"{name}.fizz")), "")
                unexplained += not reached and model.name not in why
                said = outcome.reason if reached or model.name not in why else why[model.name]
                parsed = "parsed" if outcome.parsed else "no"
                figures = f"{outcome.states:>8} {theirs:>8} {time.monotonic() - begun:6.1f}"
                say(f"{model.corpus:26} {model.name:74} {parsed:6} {outcome.verdict:11} {figures}  {said}".rstrip())
    for corpus, (number, parsed_ones, reached_ones) in counts.items():
        say(f"{corpus}: {number} models, {parsed_ones} parsed, {reached_ones} with a verdict")
    totals = [sum(count[place] for count in counts.values()) for place in range(3)]
    say(
        f"all: {totals[0]} models, {totals[1]} parsed, {totals[2]} with a verdict, "
        f"{unexplained} without one and without a reason"
    )
    if not totals[0]:
        return 2
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
