"""The cost of a step, and how much it makes (language page, 14: R16, R20, R24).

Counted in elements and characters, never in bytes or seconds, so that a step costs the same on every engine and
machine. A charge may therefore depend on values alone: never on whether two equal values are one object, on the content
of a cache, or on how much of a container has been loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from fizz.syntax.module import Budget
from interpreter.values.problem import ModelMistake

EVERY: Final = 10_000
"""The hook of the meter is called at least once per this many charges."""
MAX_CALLS: Final = 200
"""The deepest nesting of calls (R16)."""
EACH: Final = 1 << 10
"""In loops over many cheap items the hook is called once per this many items."""
_NO_LIMIT: Final = 1 << 62
_MODEST: Final = 300_000
"""The largest share of a budget that an execution run for the memo may spend; see `_share`."""
_SHORT: Final = 64
"""Shorter texts are not charged."""

Element = TypeVar("Element")


class ShareSpent(Exception):
    """An execution run for the memo has spent its share of the budget."""


class Meter:
    """Counts the cost of the step that runs in this process, one at a time.

    `count`: charges so far, `made`: elements made so far, `depth`: nesting of calls of functions of the model. `hook`
    is called regularly while a step runs; an exception that it raises ends the step. Code that adds to `count` often
    has to call `look` once `count` exceeds `pause`.
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
        """Begins a step. A `shared` step has only a share of the budget; beyond it, it ends in `ShareSpent`."""
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
        """Ends the step: operations on values are free until the next one begins."""
        self.charges = self.held = self.pause = _NO_LIMIT

    @property
    def spent(self) -> tuple[int, int]:
        """The charges and the elements made by the execution path so far."""
        return self.count, self.made

    @property
    def much(self) -> bool:
        """Whether the step was too expensive to be repeated without need. Valid after `end` too."""
        return self.is_much(self.count) or self.made > _share(self.budget.held)

    def is_much(self, charges: int) -> bool:
        """Whether a step of this many charges is too expensive to be repeated without need."""
        return charges > _share(self.budget.charges)

    @property
    def exhausted(self) -> bool:
        """Whether the budget is spent."""
        return self.count > self.charges or self.made > self.held

    def resume(self, spent: tuple[int, int]) -> None:
        """Restores the counts of an execution path that had spent this."""
        self.count, self.made = spent
        self.pause = min(self.charges, self.count + EVERY)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """For steps run inside a step: each has a budget of its own, and nothing is charged to this one."""
        budget, shared, spent, depth = self.budget, self.shared, self.spent, self.depth
        try:
            yield
        finally:
            self.begin(budget, shared)
            self.resume(spent)
            self.depth = depth

    def charge(self, count: int) -> None:
        """Charges for `count` elements to be visited; R20 if that exceeds the budget. Call it before visiting them."""
        self.count += count
        if self.count > self.pause:
            self.look()

    def make(self, count: int) -> None:
        """Charges for `count` elements to be made; R20 or R24 if that exceeds the budget. Call it before that."""
        self.made += count
        self.count += count
        if self.count > self.pause or self.made > self.held:
            self.look()

    def ask(self) -> None:
        """Calls the hook without a charge: for long work that is no part of the model's step."""
        if self.hook is not None:
            self.hook()

    @contextmanager
    def unasked(self) -> Iterator[None]:
        """Within the block the hook is not called, so that it can not be interrupted halfway."""
        hook, self.hook = self.hook, None
        try:
            yield
        finally:
            self.hook = hook

    def attended(self, elements: Iterable[Element]) -> Iterator[Element]:
        """The same elements, with the hook called regularly in between. Nothing is charged."""
        for number, element in enumerate(elements, 1):
            if not number % EACH:
                self.ask()
            yield element

    def look(self) -> None:
        """Calls the hook; R20 or R24 if the budget is spent."""
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
        """Enters a call of a function of the model; R16 if the nesting is too deep."""
        self.depth += 1
        self.count += 1
        if self.depth > MAX_CALLS:
            raise ModelMistake("R16", f"call stack deeper than {MAX_CALLS}")
        if self.count > self.pause:
            self.look()


def _share(most: int) -> int:
    """The share that an execution run for the memo may spend: half of a small budget, less of a large one."""
    return max(most >> 4, min(most >> 1, _MODEST))


METER: Final = Meter()
"""The meter of this process."""


def check_size(count: int, what: str) -> None:
    """R24 if a string, bytes or collection would have too many elements. Call it before building one."""
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
    """The cost of reading or making a text."""
    return len(text) >> 4


def search(text: int, part: int) -> int:
    """The cost of searching for `part` characters in `text` characters, naively: some comparisons at each position."""
    return text * ((part >> 4) + 1) >> 4


def parts_of_key(key: Hashable) -> int:
    """The cost of looking a key up in a dict or set, beyond a constant."""
    if type(key) is tuple:
        return len(key)
    return len(key) >> 4 if isinstance(key, str | bytes) and len(key) > _SHORT else 0


def parts_of_keys(keys: Iterable[Hashable]) -> int:
    """The cost of looking up every key of a dict or set in another one."""
    count = 0
    for key in keys:
        kind = type(key)
        count += 1 if kind is int else 1 + parts_of_key(key)
    return count
