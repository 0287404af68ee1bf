"""`Observer`: the interface by which a cache of execution paths follows a path while it runs.

Without an observer a path runs as the language page says. An observer may read containers part by part, restart the
path at a later point, cut it where the reads so far no longer matter, and run iterations of a loop as paths of their
own; the results of all paths together must not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from interpreter.compile.program import ForLoop

if TYPE_CHECKING:
    from interpreter.execute.code import Code
    from interpreter.execute.execution import Execution
    from interpreter.execute.frames import ScopeState
    from interpreter.execute.settlement import Settlement
    from interpreter.execute.view import Recorder
    from interpreter.execute.world import World
    from interpreter.values.folding import ElementFilter
    from interpreter.values.intern import Interner


class Undecided(Exception):
    """Raised when one iteration of a loop, run by itself, ends without a verdict: other paths decide."""


class Observer(Protocol):
    """Follows one execution path, or all paths of a rule together. Exceptions other than `Undecided` end the run.

    `shares`: the path may only spend a share of the budget, because its result is combined with others.
    """

    @property
    def shares(self) -> bool: ...

    def world(self, interner: Interner, recorder: Recorder, code: Code) -> World:
        """The world of the path, over a recorder of its reads."""
        ...

    def begin(self, run: Execution) -> None:
        """Called before the path runs; it may be advanced to a known later point."""
        ...

    def before_statement(self, run: Execution) -> None:
        """Called before each statement of the body of an assertion but the first."""
        ...

    def after_choice(self, run: Execution) -> None:
        """Called after a choice, or the last of several guards in a row, when the path continues without a yield."""
        ...

    def alternatives(
        self, run: Execution, values: object, word: str, admitted: ElementFilter | None = None
    ) -> Sequence[object] | None:
        """Called at a choice among values before it is made: it may make the choice itself, and return the one value
        that was chosen, or none if there are none. None: the choice is made as usual.

        `word`: the beginning of the label. `admitted`: the choice is among the elements that this admits.
        """
        ...

    def has_paths_for_values(self, run: Execution) -> bool:
        """Whether there may be a path for each value of a choice with a condition."""
        ...

    def one_admitted(
        self, run: Execution, values: Sequence[object], word: str, admitted: ElementFilter
    ) -> Sequence[object] | None:
        """Called at a choice among those of some values that `admitted` admits. There may be a path for each value: it
        returns the one that this path takes, or none in the path for none. None: the choice is made as usual.
        """
        ...

    def take_turn(self, run: Execution, loop: ForLoop, rest: Sequence[object]) -> bool | None:
        """Called at a `for` loop: it may enter it for one iteration alone, or continue after it.

        Returns whether that yields; None: the loop is to be run as usual.
        """
        ...

    def no_turn_left(self, state: ScopeState) -> None:
        """Called at a loop header without elements left. Raises `Undecided` if it was entered for one iteration."""
        ...

    def settled(self, settlement: Settlement) -> None:
        """Called at the end of a step, when the shared containers are known."""
        ...

    def end(self, run: Execution) -> None:
        """Called when a path has a result."""
        ...
