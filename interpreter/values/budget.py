"""What a step costs, and how much it makes (language page, 14: R16, R20, R24).

Counted in elements and characters, never in bytes or seconds, so that a step costs the same on every engine and
machine. It follows that a charge may depend on values alone: never on whether two equal values are one object, on what
a cache knows, or on how much of a container was looked at so far.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from fizz.syntax.module import Budget
from interpreter.values.problem import ModelMistake

EVERY: Final = 10_000
"""The hook of the meter is called at least once in so many charges."""
MAX_CALLS: Final = 200
"""Calls within calls (R16)."""
EACH: Final = 1 << 10
"""Where there may be a million things, each quickly done with, the hook is called once for so many."""
_NO_LIMIT: Final = 1 << 62
_MODEST: Final = 300_000
"""Half of a budget that is not larger than twice this is spent soon."""
_SHORT: Final = 64
"""Shorter texts are not worth counting."""

Thing = TypeVar("Thing")


class ShareSpent(Exception):
    """A way that was to be remembered has spent the share of the budget that such ways get."""


class Meter:
    """Counts what the step costs that runs in this process: there is one at a time.

    `count`: charges so far, `made`: elements made so far, `depth`: calls of functions of the model in each other.
    `hook` is called now and then while a step runs; what it raises ends the step. Whoever adds to `count` where that
    may happen often looks at `pause` afterwards: beyond it, `look`.
    """

    __slots__ = (
        "bits",
        "bound",
        "budget",
        "charges",
        "count",
        "depth",
        "elements",
        "held",
        "hook",
        "made",
        "pause",
        "shared",
    )

    def __init__(self) -> None:
        self.hook: Callable[[], None] | None = None
        self._allow(Budget())
        self.begin(self.budget)
        self.end()

    def _allow(self, budget: Budget) -> None:
        self.budget = budget
        self.elements, self.bits = budget.elements, budget.bits
        self.bound = 1 << budget.bits

    def begin(self, budget: Budget, shared: bool = False) -> None:
        """A step begins. With a share of the budget alone (`shared`) it ends in `ShareSpent`, not in an error."""
        if budget is not self.budget:
            self._allow(budget)
        self.shared = shared
        self.charges, self.held = budget.charges, budget.held
        if shared:
            self.charges, self.held = _share(budget.charges), _share(budget.held)
        self.count = self.made = self.depth = 0
        self.pause = min(EVERY, self.charges)
        if self.hook is not None:
            self.hook()

    def end(self) -> None:
        """The step is over: what is done with values now costs nothing."""
        self.charges = self.held = self.pause = _NO_LIMIT

    @property
    def spent(self) -> tuple[int, int]:
        """What a way has cost and made so far."""
        return self.count, self.made

    @property
    def much(self) -> bool:
        """Whether more is spent than is lightly spent twice. It can be asked after the end too."""
        return self.is_much(self.count) or self.made > _share(self.budget.held)

    def is_much(self, charges: int) -> bool:
        """Whether so many charges are more than are lightly spent twice."""
        return charges > _share(self.budget.charges)

    @property
    def exhausted(self) -> bool:
        """Whether the budget is spent."""
        return self.count > self.charges or self.made > self.held

    def resume(self, spent: tuple[int, int]) -> None:
        """Be where a way was when it had spent this."""
        self.count, self.made = spent
        self.pause = min(self.charges, self.count + EVERY)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Steps that are run inside a step: each has a budget of its own, and nothing is charged to this one."""
        budget, shared, spent, depth = self.budget, self.shared, self.spent, self.depth
        try:
            yield
        finally:
            self.begin(budget, shared)
            self.resume(spent)
            self.depth = depth

    def charge(self, count: int) -> None:
        """So many elements are visited: R20 if that is too much. Ask before doing it."""
        self.count += count
        if self.count > self.pause:
            self.look()

    def make(self, count: int) -> None:
        """So many elements are made: R20 or R24 if that is too much. Ask before making them."""
        self.made += count
        self.count += count
        if self.count > self.pause or self.made > self.held:
            self.look()

    def ask(self) -> None:
        """Call the hook. Nothing is charged: for work that is long without being a part of what the model does."""
        if self.hook is not None:
            self.hook()

    def attended(self, things: Iterable[Thing]) -> Iterator[Thing]:
        """The same things, with the hook called now and then in between: there may be a million. Nothing is charged."""
        for number, thing in enumerate(things, 1):
            if not number % EACH:
                self.ask()
            yield thing

    def look(self) -> None:
        """Call the hook, and R20 or R24 if the budget is spent."""
        self.ask()
        if self.shared and self.exhausted:
            raise ShareSpent
        if self.made > self.held:
            text = f"more than {self.held:,} elements made in one step"
            raise ModelMistake("R24", text, "make less at once, or raise options.limits.held")
        if self.count > self.charges:
            text = f"a step costlier than {self.charges:,} charges"
            raise ModelMistake(
                "R20", text, "probably an endless loop without a yield; options.limits.charges is the limit"
            )
        self.pause = min(self.charges, self.count + EVERY)

    def enter(self) -> None:
        """A function of the model is called: R16 if that is too deep."""
        self.depth += 1
        self.count += 1
        if self.depth > MAX_CALLS:
            raise ModelMistake("R16", f"call stack deeper than {MAX_CALLS}")
        if self.count > self.pause:
            self.look()


def _share(most: int) -> int:
    """What a way may spend that is run to be remembered: half of a small budget, less of a large one."""
    return max(most >> 4, min(most >> 1, _MODEST))


METER: Final = Meter()
"""The meter of this process."""


def check_size(count: int, what: str) -> None:
    """R24 if a string, bytes or collection would have too many elements: ask before building it."""
    if count > METER.elements:
        raise ModelMistake("R24", f"{what} would have {_figure(count)} elements, the limit is {METER.elements:,}")


def check_int(number: int) -> int:
    """The number itself, or R24 if it has too many bits."""
    if -METER.bound < number < METER.bound:
        return number
    raise ModelMistake("R24", f"an int of {number.bit_length():,} bits, the limit is {METER.bits:,}")


def _figure(count: int) -> str:
    return f"{count:,}" if count.bit_length() < 64 else "far too many"


def characters(text: str | bytes) -> int:
    """What it costs to read or make a text."""
    return len(text) >> 4


def search(text: int, part: int) -> int:
    """What it costs to look for `part` characters in `text` characters: at each place some of them may be compared."""
    return text * ((part >> 4) + 1) >> 4


def parts_of_key(key: Hashable) -> int:
    """What it costs to look for a key in a dict or set, beyond a constant."""
    if type(key) is tuple:
        return len(key)
    return len(key) >> 4 if isinstance(key, str | bytes) and len(key) > _SHORT else 0


def parts_of_keys(keys: Iterable[Hashable]) -> int:
    """What it costs to go through the entries of a dict or set and look for each key elsewhere."""
    count = 0
    for key in keys:
        kind = type(key)
        count += 1 if kind is int else 1 + parts_of_key(key)
    return count
