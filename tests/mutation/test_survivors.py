"""The survivors that are explained beside the models are those of a run."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import fizzpy

ROOT = Path(__file__).parents[2]
HEAD = re.compile(r"^## (\w+\.fizz)((?: --set \w+=\w+)*)$", re.MULTILINE)
ROW = re.compile(r"^\| (\d+) \| ([\w ]+) \| [^|]+ \|$", re.MULTILINE)
SLOW = {"DiningPhilosophers.fizz", "TwoPhaseRoles.fizz"}


def tables() -> list[object]:
    """For each table of a page beside models: the model, its constants, the survivors by line and change."""
    found: list[object] = []
    for page in sorted(ROOT.glob("models/*/survivors.md")):
        _, *parts = HEAD.split(page.read_text(encoding="utf-8"))
        for name, given, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            constants = dict(re.findall(r"--set (\w+)=(\w+)", given))
            rows = Counter((int(line), change) for line, change in ROW.findall(text))
            marks = [pytest.mark.large] if name in SLOW else []
            found.append(pytest.param(page.parent / name, constants, rows, id=name, marks=marks))
    return found


@pytest.mark.parametrize(("model", "constants", "rows"), tables())
def test_survivors(model: Path, constants: dict[str, str], rows: Counter[tuple[int, str]]) -> None:
    """No more and no fewer."""
    report = fizzpy.mutate(model, constants={name: int(value) for name, value in constants.items()})
    assert Counter((one.span.line, one.change) for one in report.survivors) == rows
    assert not report.counts["beyond the budget"]
