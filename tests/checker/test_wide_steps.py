"""A state with very many steps: loops over them look at the patience, and a level given up leaves no trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from checker.core.exploration import Settings
from checker.core.limits import StopReason
from checker.core.patience import GRACE_S, Patience, Stop
from checker.core.property import watches_of
from checker.properties import properties_of
from checker.search.columns import column_run
from checker.search.columns.column_frontier import Frontier
from checker.search.columns.sizes import Sizes
from checker.search.contract.protocol import Engine, Level, Run, Task
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.registry import engine_of
from fizz import load
from interpreter import Machine, compile_module
from interpreter.values import budget
from tests.checker.test_patience import Roomy
from tests.random.laws import IN_PROCESS

WIDE = """\
action Init:
    x, y = 0, 0
atomic fair action Pick:
    require x < 2
    x = oneof range(2, 30)
    y = fair oneof [1, 2]
atomic action More:
    require x == 7
    x = oneof range(1000, 1030)
    y = 3
always eventually assertion Live: return y == 2
always assertion Low: return x < 1010
"""


class Until(Patience):
    """It is over for the question of this number alone."""

    def __init__(self, number: int | None = None) -> None:
        super().__init__(surveyor=Roomy())
        self.left = number
        self.asked = 0
        self.stops = 0

    def ask(self) -> None:
        self.asked += 1
        if self.left is not None:
            self.left -= 1
            if not self.left:
                self.stops += 1
                raise Stop(StopReason.TIMEOUT)

    def follow(self, leader: Callable[[], bool]) -> None:
        """A worker ends when it is told to: it has no stops of its own, which might come while the graph is drawn."""
        self.left = None
        super().follow(leader)

    @contextmanager
    def grace(self, seconds: float = GRACE_S) -> Iterator[None]:
        """While the graph of a level is drawn there is no stop: a run that is stopped then does not go on."""
        self.left = None
        yield


def begun(engine: Engine, given: Until) -> Run:
    """A run of the model whose first level is done."""
    program = compile_module(load("m.fizz", text=WIDE))
    settings = Settings(keep_going=True)
    watches = watches_of(properties_of(program, None), program.options)
    task = Task(program, watches, settings, False, True, lambda *_: given.ask(), Machine, patience=given)
    return engine.begin(task)


def levels(engine: str | Engine, stops: int | None) -> tuple[list[Level], object, Until]:
    """Each level, the graph, and the patience that was asked; one in so many questions is a stop."""
    given = Until()
    run = begun(engine_of(engine) if isinstance(engine, str) else engine, given)
    found: list[Level] = []
    tries = 0
    with given.limiting_steps():
        found.append(run.first())
        while found[-1].frontier:
            given.left = None if stops is None else 1 + tries * stops
            try:
                found.append(run.next())
            except Stop:
                tries += 1
            else:
                tries = 0
        given.left = None
        return found, run.graph().part(0), given


def comparable(levels: list[Level]) -> list[Level]:
    """Levels without notes from before they were given up, and without failed attempts of actions that have steps."""
    acted = {action for level in levels for action in level.acted}
    idle = [Counter({at: n for at, n in level.aborted.items() if at[0] not in acted}) for level in levels]
    return [replace(level, noted=set(), aborted=none) for level, none in zip(levels, idle, strict=True)]


@pytest.mark.parametrize("engine", IN_PROCESS)
def test_a_level_given_up_anywhere_can_be_gone_again(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A level with wide steps may be stopped anywhere: repeated, it brings the same as without a stop."""
    monkeypatch.setattr(budget, "EACH", 1)
    found, graph, given = levels(engine, stops=1)
    alone = levels(engine, stops=None)
    assert (comparable(found), graph) == (comparable(alone[0]), alone[1])
    assert given.stops > 50


@pytest.mark.parametrize("engine", ["plain", *IN_PROCESS])
def test_each_successor_is_asked_for(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops over many successors ask the patience for each of them, or for one in so many."""
    asked = []
    for each in (1_000, 1):
        monkeypatch.setattr(budget, "EACH", each)
        asked.append(levels(engine, None)[2].asked)
    states = 1 + 2 * 28 + 30
    assert asked[1] - asked[0] > 2 * states


def test_rows_that_make_too_many_steps_are_expanded_fewer_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was begun of them counts once."""
    alone = levels("columns", None)
    widths: list[int] = []
    begin = column_run.ColumnRun._expand

    def noting(run: column_run.ColumnRun, part: Frontier, begins: int, end: int, level: Level) -> int:
        widths.append(end - begins)
        return begin(run, part, begins, end, level)

    monkeypatch.setattr(column_run.ColumnRun, "_expand", noting)
    found = levels(EmbeddedEngine(0, Sizes(steps=20)), None)
    assert (comparable(found[0]), found[1]) == (comparable(alone[0]), alone[1])
    assert max(widths) > 4 and widths.count(1) > 2
