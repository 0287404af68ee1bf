"""Programs that once broke a law, made small. Each says in its first lines what it is about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fizz
from checker.check import check
from checker.exploration import Settings
from tests.random import laws

FOUND = sorted((Path(__file__).parent / "found").glob("*.fizz"))


@pytest.mark.parametrize("symmetry", [True, False], ids=["reduced", "unreduced"])
@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_laws(path: Path, symmetry: bool) -> None:
    """Engines agree, states are canonical, steps know what they read."""
    text = path.read_text(encoding="utf-8")
    laws.check_agreement(text, Settings(keep_going=True, max_states=300, symmetry=symmetry))
    machine = laws.machine_of(text)
    assert machine is not None
    laws.check_canonical(machine, 300)
    laws.check_reads(machine, 300, 3)


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_counts(path: Path) -> None:
    """Where the states were counted by hand, there are as many."""
    text = path.read_text(encoding="utf-8")
    counted = re.search(r"^# states: (\d+)$", text, re.MULTILINE)
    if counted is not None:
        assert check(fizz.load(path.name, text=text)).states == int(counted.group(1))
