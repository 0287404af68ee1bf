"""`Fold`: a question for all elements of a set that is answered from the results of a turn for each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from fizz.base.light import dataclass

Site = tuple[Any, tuple[str, ...]]
FIRST: Final = ("first",)
"""Gives a list of what the first turn gives that gives anything, and else an empty one."""
PASSED: Final = ("passed",)
"""Gives a list of what the last turn passes on; see `PassingFold`."""
OF_SETS: Final = ("list", "set")
"""Gives a list of the different results, in the order in which they come first: see `value_of`."""
OF_LOOPS: Final = frozenset({FIRST, PASSED})
INTO_ONE: Final = frozenset({"sum", "max", "min"})
"""Functions that make one number of all results, if these are ints."""
GOES_ON: Final = "goes on"
BREAKS: Final = "breaks"
RETURNS: Final = "returns"
"""What a turn passes on begins with one of these: whether the loop goes on, or how it ends."""


@dataclass(frozen=True, slots=True)
class Fold:
    """`site`: where it is asked, or by which operator, and the functions that make the value from the list of all
    results, in order.

    `held` gives the values that a turn may use besides an element and the state (MISSING for unbound names); `turn` the
    results of the turn for an element. `calls`: a turn calls what might change containers. `mentions`: the names of the
    variables and fields that it may read; None if that is not known.
    """

    site: Site
    held: Callable[[], tuple[object, ...]]
    turn: Callable[[object], list[object]]
    calls: bool
    mentions: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class PassingFold:
    """A question whose turns pass something on: each is given what the one before passes on, the first one `given`.

    Its answer is what the last turn passes on, or the first that ends the loop. The others: see `Fold`.
    """

    site: Site
    held: Callable[[], tuple[object, ...]]
    given: list[object]
    turn: Callable[[list[object], object], list[object]]
    calls: bool
    mentions: frozenset[str] | None = None

    def after(self, given: list[object]) -> Fold:
        """The fold of a turn that is given this."""
        return Fold(self.site, self.held, partial(self.turn, given), self.calls, self.mentions)


AskedFold = Fold | PassingFold


@dataclass(frozen=True, slots=True)
class ElementFilter:
    """A condition on elements. `fine`: a fold in which an element has a result if it meets the condition."""

    fine: Fold

    def admits(self, element: object) -> bool:
        """Whether an element meets the condition."""
        return bool(self.fine.turn(element))
