"""Programs that once broke a law, made small. Each says in its first lines what it is about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from tests.random import laws
from tests.sample import one_in

FOUND = sorted((Path(__file__).parent / "found").glob("*.fizz"))


@pytest.mark.parametrize("symmetry", [True, False], ids=["reduced", "unreduced"])
@pytest.mark.parametrize("path", one_in(3, FOUND), ids=lambda path: path.stem)
def test_laws(path: Path, symmetry: bool) -> None:
    """Engines agree, states are canonical, steps know what they read."""
    text = path.read_text(encoding="utf-8")
    laws.check_agreement(text, Settings(keep_going=True, limits=Limits(states=300), symmetry=symmetry))
    machine = laws.machine_of(text)
    assert machine is not None
    laws.check_canonical(machine, 300)
    laws.check_reads(machine, 300, 3)


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_figures(path: Path) -> None:
    """Where the states were counted by hand, there are as many; where an error is due, it is that one."""
    text = path.read_text(encoding="utf-8")
    report = check(fizz.load(path.name, text=text))
    said = dict(re.findall(r"^# (states|error): (\w+)$", text, re.MULTILINE))
    if "states" in said:
        assert report.states == int(said["states"])
    assert (report.error.diagnostic.code if report.error is not None else None) == said.get("error")
