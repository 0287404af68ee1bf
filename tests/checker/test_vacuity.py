"""Untested parts are reported only for a complete exploration and properties that hold, the same by every engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.analysis.warnings import audit
from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.report import Report
from checker.properties import properties_of
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.engines.plain import PlainEngine
from checker.search.explore import explore
from fizz import load
from interpreter import Machine, compile_module

MODEL = """\
---
options: {{max_actions: {most}}}
deadlock_detection: false
---
LIMIT = {limit}
role Node:
    action Init:
        self.n = 0
    atomic action Up:
        require self.n < LIMIT
        self.n += 1
action Init:
    nodes = [Node(), Node()]
always assertion Late:
    for node in nodes:
        if node.n > 3:
            return nodes[0].n < 9
    return True
exists assertion Ends:
    return nodes[0].n == LIMIT and nodes[1].n == LIMIT
"""


def report(folder: Path, engine: str = "embedded", limit: int = 3, most: int = 100, **settings: object) -> Report:
    (folder / "m.fizz").write_text(MODEL.format(limit=limit, most=most))
    return check(folder / "m.fizz", engine=engine, settings=Settings(**settings))  # type: ignore[arg-type]


def untested(found: Report) -> list[tuple[str, int]]:
    return [(w.text, w.span.line) for w in found.warnings if w.code == "W16" and w.span is not None]


def test_engines_say_the_same(tmp_path: Path, engine: str) -> None:
    """A condition that no state of the space makes true, although one of a larger space would."""
    assert untested(report(tmp_path, engine)) == [("this statement of assertion 'Late' was never executed", 17)]
    assert untested(report(tmp_path, engine, limit=5)) == []


def test_only_of_a_whole_space(tmp_path: Path) -> None:
    """Where the search was cut the rest might be what tests it."""
    assert untested(report(tmp_path, most=2)) == []
    assert untested(report(tmp_path, limits=Limits(states=5))) == []


def test_only_of_properties_that_were_asked(tmp_path: Path) -> None:
    """`--property` leaves the others alone."""
    assert untested(report(tmp_path, properties=("Ends",))) == []


ROLES = """\
---
deadlock_detection: false
---
role Node:
    action Init:
        self.n = 0
    atomic fair action Up:
        require self.n < {most}
        self.n += 1
    exists assertion Some:
        return self.n > 0 or self.n < 9
    eventually always assertion Done:
        return self.n == {most} and total >= 0
    transition assertion Grows(before, after):
        if total > {most}:
            return self.n > total
        return True
action Init:
    nodes = [Node(), Node(), Node()]
    total = 0
always assertion First:
    for node in nodes:
        if node.n == 0:
            return total >= 0
        if node.n > 1:
            return total < 1
    return nodes[0].n > 0 or total > 3
"""


@pytest.mark.parametrize("most", [1, 2, 8])
def test_rows_columns_and_the_oracle_say_the_same(most: int, tmp_path: Path) -> None:
    """Also where an assertion stops at one instance, or a loop at one turn: what comes after is not evaluated."""
    (tmp_path / "m.fizz").write_text(ROLES.format(most=most))
    found = []
    for engine in (PlainEngine(), EmbeddedEngine(10**9), EmbeddedEngine(1)):
        program = compile_module(load(tmp_path / "m.fizz"))
        properties = properties_of(program, None)
        exploration = explore(engine, program, properties, Settings())
        assert exploration.noted is not None
        found.append([(w.text, w.span) for w in audit(Machine(program), exploration, properties) if w.code == "W16"])
    assert found[0] == found[1] == found[2]
    lines = [span.line for _, span in found[0] if span is not None]
    assert lines == ([16, 26, 27] if most == 1 else [16, 27])
