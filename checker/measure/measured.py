"""What was measured: plain data for printers and scripts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from checker.core.given import Given
from checker.core.model_result import ModelResult
from checker.core.problems import ExitCode
from checker.measure.measure_file import Nondeterminism


class Interval(NamedTuple):
    """A number that lies between two, both included."""

    low: float
    high: float

    @classmethod
    def around(cls, value: float, error: float, least: float, most: float) -> Interval:
        """The values at most so far from one, between `least` and `most`."""
        return cls(min(max(value - error, least), most), max(min(value + error, most), least))

    @property
    def value(self) -> float:
        """The middle."""
        return self.low if self.low == self.high else (self.low + self.high) / 2

    @property
    def error(self) -> float:
        """How far the number may be from the middle."""
        return 0.0 if self.low == self.high else (self.high - self.low) / 2

    def times(self, factor: float) -> Interval:
        """The interval of the multiples."""
        return Interval(self.low * factor, self.high * factor)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value, or with free choices the least and the greatest one over all schedulers. None: there is no end to it."""

    least: Interval | None
    greatest: Interval | None

    @property
    def single(self) -> bool:
        """Whether it is one value."""
        return self.least == self.greatest

    @property
    def value(self) -> float:
        """The value, of one that is single; infinity if there is no end to it."""
        return math.inf if self.greatest is None else self.greatest.value


@dataclass(frozen=True, slots=True)
class AssertionMeasure:
    """How probable it is that an assertion is ever true, and ever false; and how often it is true in the long run.

    `often` is None with free choices, and if runs were to end at this assertion.
    """

    name: str
    kind: str
    true: Quantity
    false: Quantity
    often: Interval | None


@dataclass(frozen=True, slots=True)
class CounterMeasure:
    """What a counter comes to until runs end, or stay where nothing is added any more.

    `distribution`: probabilities by value, in ascending order; what is missing to 1 is beyond the last. Empty with free
    choices, and if there is no end to it: then `rate` is what one step adds in the long run, and `endless` a state
    where that goes on. `percentiles`: by percentage the least value that is not exceeded with that probability.
    """

    name: str
    expected: Quantity
    distribution: tuple[tuple[float, float], ...] = ()
    percentiles: Mapping[float, float] = field(default_factory=dict)
    rate: float | None = None
    endless: str | None = None


@dataclass(frozen=True, slots=True)
class StateMeasure:
    """How probable a state is in the long run. `ended`: runs end there."""

    state: str
    often: float
    ended: bool


@dataclass(frozen=True, slots=True, repr=False)
class Measured(ModelResult):
    """The quantities of a model. `cut`: the states at the bound `max_actions`, where runs end.

    `states_shown` are the most probable ones in the long run, of `lasting` that have a probability; `often_error` is
    how far the long-run probabilities may be off. `until`: the assertion at which runs end. `unmet`: labels of the file
    that no step has.
    """

    model: str
    file: str | None
    given: Given
    nondeterminism: Nondeterminism
    states: int
    transitions: int
    cut: int
    until: str | None
    assertions: tuple[AssertionMeasure, ...]
    counters: tuple[CounterMeasure, ...]
    states_shown: tuple[StateMeasure, ...]
    lasting: int
    often_error: float
    unmet: tuple[str, ...]
    elapsed_s: float = 0.0
    cpu_s: float = 0.0

    @property
    def sources(self) -> Mapping[str, str]:
        """No texts: the model is read again where they are needed."""
        return {}

    @property
    def summary(self) -> str:
        """How many assertions and counters were measured, and of how many states."""
        return f"{len(self.assertions)} assertions, {len(self.counters)} counters, {self.states:,} states"

    @property
    def exit_code(self) -> ExitCode:
        """3 if states were cut at the bound on starts, so that the figures are those of runs up to it."""
        return ExitCode.BOUNDED if self.cut else ExitCode.PASSED

    def counter(self, name: str) -> CounterMeasure:
        """The counter of this name. Raises `KeyError`."""
        return {one.name: one for one in self.counters}[name]

    def assertion(self, name: str) -> AssertionMeasure:
        """The assertion of this name. Raises `KeyError`."""
        return {one.name: one for one in self.assertions}[name]

    def __repr__(self) -> str:
        shown = [f"{one.name}={_short(one.expected)}" for one in self.counters]
        shown += [f"P({one.name})={_short(one.true)}" for one in self.assertions]
        return f"<Measured {self.model}: {self.states:,} states; {', '.join(shown) or 'nothing asked'}>"


def _short(quantity: Quantity) -> str:
    def text(interval: Interval | None) -> str:
        return "infinite" if interval is None else f"{interval.value:.6g}"

    if quantity.single:
        return text(quantity.greatest)
    return f"{text(quantity.least)}..{text(quantity.greatest)}"
