"""Loops of choices: paths that reach a loop header in the configuration of an earlier path are given up (6.3)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from fizz import Span
from interpreter.compile.program import Routine, WhileLoop
from interpreter.execute.configuration import Beginning, configuration
from interpreter.execute.world import World
from interpreter.state.step import (
    GIVEN_UP,
    GIVEN_UP_MARK,
    Abort,
    ExecutionPath,
    Failure,
    ModelError,
    Outcome,
)

if TYPE_CHECKING:
    from interpreter.execute.execution import Execution

_COST: Final = 5
"""The cost of one value of a configuration, in moves."""
_FEW_CHOICES: Final = 500
"""Each path stores its choices. Up to this many are not charged."""


class Unchosen(Exception):
    """Raised at a choice of `size` alternatives that is not given: the path is continued later, once for each."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.size = size


class GivenUpPath(NamedTuple):
    """A path given up at a header: its choices and labels so far, and the choices of the lesser path.

    The lesser path goes on from the header, where it had so many labels, `passed`; both are alike from there.
    """

    chosen: tuple[int, ...]
    labels: tuple[str, ...]
    lesser: tuple[int, ...]
    passed: int


class Headers:
    """The configurations in which the paths of one step have reached loop headers, with the least path of each.

    Paths must be run in order of the number of choices, then of the choices. `loops`: the loops of choices, as
    (routine, scope); `beginning` is a world of its own, in which nothing runs.
    """

    def __init__(self, loops: frozenset[tuple[int, int]], beginning: World) -> None:
        self._loops = loops
        self._beginning = Beginning(beginning)
        self._least: dict[tuple[object, ...], tuple[tuple[int, ...], int]] = {}
        self._last: Span | None = None
        self.given_up: list[GivenUpPath] = []
        """The paths that were given up."""
        self.spent = 0
        """The cost of computing configurations, in moves."""

    def come(self, run: Execution, routine: Routine, loop: WhileLoop) -> None:
        """Called when a path is at a header. Raises `Abort` if a lesser path was there in the same configuration."""
        if (routine.number, loop.number) not in self._loops:
            return
        chosen = run.chosen
        begun = run.frames[-1].scopes[-1].begun
        offered = frozenset(run.offered)
        taken = frozenset([choice[1:] for choice in run.fair])
        self._last = loop.span
        self.spent += _COST * (len(run.world.slots) + sum(len(frame.locals) for frame in run.frames))
        self.spent += max(0, len(chosen) - _FEW_CHOICES)
        here = configuration(run.frames, run.world, self._beginning)
        mine = (chosen, len(run.labels))
        least = self._least.setdefault((begun, here, run.enabled, offered, taken), mine)
        if least[0] != chosen:
            self.given_up.append(GivenUpPath(chosen, tuple(run.labels), *least))
            raise Abort(GIVEN_UP, loop.span)

    def marked(self, paths: list[ExecutionPath], marks: bool) -> list[ExecutionPath]:
        """The paths of the step; if choices are marked, each outcome names those that were given up."""
        if not (marks and self.given_up):
            return paths
        mark = GIVEN_UP_MARK + json.dumps(self.given_up)
        return [
            replace(path, result=replace(path.result, labels=(*path.result.labels, mark)))
            if isinstance(path.result, Outcome)
            else path
            for path in paths
        ]

    def endless(self, most: int) -> Failure:
        """R20: the paths of one step have cost more than `most` moves together."""
        text = f"the ways through one step make more than {most:,} moves"
        hint = "probably a loop of choices that never comes back to where it was: bound what grows in it"
        return Failure(ModelError("R20", text, self._last, hint), (), (), ())
