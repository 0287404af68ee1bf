"""`Observer`: who follows a way while it runs, to remember it. The evaluator knows no more of it than these calls.

Without an observer a way is run as the language page says. An observer may read containers part by part, begin the way
later, cut it where nothing that was asked so far matters any more, and take the turns of a loop one by one: what all
ways come to together is the same.
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
    from interpreter.values.intern import Interner


class Undecided(Exception):
    """One turn of a loop, taken alone, ended without an answer: other ways have it."""


class Observer(Protocol):
    """Follows one execution path, or all through a rule together. What it raises, but for `Undecided`, ends the run.

    `shares`: the path is to spend a share of the budget alone, because what it comes to is put together with others.
    """

    @property
    def shares(self) -> bool: ...

    def world(self, interner: Interner, recorder: Recorder, code: Code) -> World:
        """The memory of the path, over a recorder of what it reads."""
        ...

    def begin(self, run: Execution) -> None:
        """Nothing has run yet. The way may be put where it is known to come to."""
        ...

    def before_statement(self, run: Execution) -> None:
        """A statement of the own block of an assertion comes next, not the first one."""
        ...

    def after_choice(self, run: Execution) -> None:
        """A choice was made, or the last one of several guards in a row has held; the way goes on without a yield."""
        ...

    def take_turn(self, run: Execution, loop: ForLoop, rest: Sequence[object]) -> bool | None:
        """At a loop of independent turns: enter it for one of them alone, or go on after it.

        Returns whether that yields; None: the loop is to be run as it is written.
        """
        ...

    def no_turn_left(self, state: ScopeState) -> None:
        """A loop is at its header and has no elements left. Raises `Undecided` if it was entered for one turn alone."""
        ...

    def settled(self, settlement: Settlement) -> None:
        """A step has come to its end, and it is known which containers are left."""
        ...

    def end(self, run: Execution) -> None:
        """A path has a result."""
        ...
