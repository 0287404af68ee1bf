"""Elements of sets and parts of lists that are met later get bits that no row had: what tables know stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.core.exploration import Settings
from checker.properties import properties_of
from checker.search.columns.lookup import Unit, fresh_bits
from checker.search.columns.packing import Version
from checker.search.columns.sizes import Sizes
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.explore import explore
from checker.search.registry import engine_of
from fizz import load
from interpreter import compile_module
from tests.checker.comparing import compared
from tests.random.laws import differences

MODEL = """
---
deadlock_detection: false
options: {max_actions: 1000, crash_on_yield: false}
---
action Init:
    log = []
    mail = set()
    seen = {}
    turn = 0
atomic action Append:
    require len(log) < 2
    log.append((turn, len(log)))
atomic action Send:
    require len(mail) < 2
    mail.add(len(log) + 2 * turn)
atomic action See:
    m = oneof mail
    seen = {m: len(log)}
atomic action Drop:
    index = oneof range(len(log))
    log.pop(index)
atomic action Turn:
    turn = (turn + 1) % 2
always assertion Short:
    return len([entry for entry in log if entry[0] == turn]) <= 5
transition assertion Grows(before, after):
    return all([m in after.mail for m in before.mail]) and all([k in after.seen for k in before.seen])
"""


@pytest.mark.parametrize("by_elements", [0, 1 << 30])
def test_tables_stay_while_bits_are_added(by_elements: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engines agree, though tables go on with more bits than they began with."""
    kept = 0
    follow, refit = Unit._follow, Unit.refit
    anew = 0

    def counted_refit(self: Unit, *given: object) -> None:
        nonlocal anew
        anew += 1
        refit(self, *given)  # type: ignore[arg-type]

    def counted(self: Unit, *given: object) -> None:
        nonlocal kept
        before, had = (self._versions, anew), bool(self._keys) and bool((self._values >= 0).any())
        follow(self, *given)  # type: ignore[arg-type]
        kept += had and before[0] != self._versions and before[1] == anew

    monkeypatch.setattr(Unit, "refit", counted_refit)
    monkeypatch.setattr(Unit, "_follow", counted)
    program = compile_module(load("m.fizz", text=MODEL))
    properties = properties_of(program, None)
    settings = Settings(keep_going=True)
    plain = explore(engine_of("plain"), program, properties, settings)
    found = explore(EmbeddedEngine(0, Sizes(many_values=by_elements)), program, properties, settings)
    assert compared(found) == compared(plain)
    assert kept > 0


def test_which_bits_are_fresh() -> None:
    """Those of the last word that no slot had; none are known if bits were given anew."""
    old = Version(3, 7, 2, 60)
    assert fresh_bits((old,), (old._replace(number=8, free=63),)).tolist() == [0, 15 << 60]  # type: ignore[union-attr]
    assert fresh_bits((old._replace(free=64),), (old,)).tolist() == [0, 0]  # type: ignore[union-attr]
    assert fresh_bits((old,), (old._replace(moved=4),)) is None
    assert fresh_bits((old,), (old, old)) is None
    assert fresh_bits((), (old,)) is None


def test_an_element_that_was_only_removed_so_far() -> None:
    """It has a bit before any set has it; then it matters to what a fold answers."""
    found = (Path(__file__).parents[1] / "random" / "found" / "removed_before_it_was_added.fizz").read_text(
        encoding="utf-8"
    )
    for text in (found, found.replace("action A:", "atomic action B:\n    s.add(1)\natomic action A:")):
        assert not differences(text, Settings(keep_going=True), ("columns", "two workers", "embedded"))
