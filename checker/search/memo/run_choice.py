"""How a rule is run: remembered by what it reads, or anew each time as a function of Python or by the interpreter.

What is remembered costs next to nothing where it is known, most of all by columns; but a new path costs as much as
some ten direct runs. So a rule is remembered as long as few of its evaluations need the interpreter. One that is run
directly is tried again when it has been evaluated twice as often: what it reads may repeat once most values were
met. A trial goes on as long as ever less is new. No result depends on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_NEVER: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Measured to be best. Tests set others, so that rules of small models change over."""

    recording: int = 32
    """Interpreter calls for a rule before its paths are recorded by a function of Python, if they can be: it takes as
    long to make one."""
    apart: int = 2_000
    """Interpreter calls for a rule before it has a path for each value of a choice with a condition, also where it
    would not be run directly otherwise."""
    turns: int = 2_000
    """And before it takes turns through what is the same in all states, also where it would not be run directly
    otherwise."""
    learning: int = 1_000
    """Interpreter calls for a rule before it may be run directly: what it reads may repeat later."""
    hopeless: int = 128
    """Calls that are enough if nearly nothing has repeated among them; where functions record, as many evaluations."""
    window: int = 64
    """Evaluations after which the choice is made first."""
    trial: int = 64
    """Interpreter calls, more or less, for which a rule that is run directly is remembered again."""
    share: float = 0.25
    """A rule is run directly if more interpreter calls than this come to one evaluation or step."""
    seen: int = 128
    """The calls of a window that shows whether more repeats than in the one before."""
    many_rules: int = 4_096
    """Rules, beyond which one is remembered from its second evaluation on. One state may have a million instances, each
    with rules of its own; what they ask is of use in other states only."""
    most_met: int = 1 << 20
    """The rules that are known to have been evaluated once."""
    unnoted: int = 300
    """Rules that `next_states()` leaves to the interpreter before it has them run directly."""


THRESHOLDS: Final = Thresholds()
ALWAYS: Final = Thresholds(recording=_NEVER, learning=0, window=0, trial=0, share=-1.0, unnoted=0)
"""Rules are run directly from the beginning."""
INTERPRETED: Final = Thresholds(recording=_NEVER, apart=0, turns=4)
"""Paths to be remembered are run by the interpreter."""
RECORDED: Final = Thresholds(recording=0, apart=8, unnoted=0)
"""Paths are recorded by functions of Python from the beginning."""
REMEMBERED: Final = Thresholds(recording=_NEVER, learning=_NEVER, hopeless=_NEVER, unnoted=_NEVER)
"""Rules are run by the interpreter alone, which marks choices among the labels of steps."""
_PIECE: Final = 256
"""Calls at a time, more or less, for a rule for which it is open whether remembering it pays."""
_SETTLED: Final = 4_096
"""Evaluations at a time, at least, where it was found to pay: it may not any more."""
_WORSE: Final = 1.5
"""So many times the share of calls that pays is too much, though it was found to pay before."""
_NEARLY_ALL: Final = 0.95
"""The share of new paths with which a rule is taken to repeat nothing."""
_FALLING: Final = 0.9
"""A trial goes on as long as the share of calls falls to this part of that in the window before, half as long."""
_DEARER: Final = 2
"""Paths that the interpreter runs cost more than those that functions record: half as many are too many."""
_CHEAP: Final = 4
"""A rule that is recorded by functions learns from so many times the calls."""
_RECORDED: Final = 500
_DIRECT: Final = 60
_STEP: Final = 40
_READ: Final = 40
"""What a call of a function that records takes, a direct run, a step of a direct run, and to note what is read, in
tenths of microseconds."""
_RECORDED_CHARGES: Final = 2
_DIRECT_CHARGES: Final = 8
"""And so many of the charges of the rule itself take one more."""
_VISIT: Final = 200
_LONG: Final = 1_000
"""What it takes to lead some rows to a node of a tree of turns, and to run an assertion with nested loops directly."""
_MANY_VISITS: Final = 4_096
"""Visits to nodes after which it is asked whether they cost too much."""
_CLEARLY: Final = 1.5
_LONGEST: Final = 6
"""The first window of a trial has one in 64 evaluations, if calls cost little."""
_SEVERAL: Final = 32
"""Calls after which it is asked how much of what a rule may read repeats."""
_MUCH: Final = 16
"""One new path in so many evaluations is much for that: recording it takes as long as so many look-ups, at least."""
_FEW: Final = 8
"""No choice is made after fewer evaluations."""


class RunChoice:
    """The choice for one rule: all who evaluate it ask here how. It is remembered, unless it goes `directly`, or is
    `forgotten`: run anew by the interpreter from then on. `recorded`: its paths are recorded by functions of Python.
    `new` counts the evaluations that needed a run, for people, and `alike` those for which all that may be read was
    known, which do not count otherwise; `knows_alike` says whether these are looked for. In `spent` the caller
    sums up what functions that record have charged, in `reads` what they have read, and in `visits` how often rows were
    led to nodes of trees of turns.

    `supported` tells whether it can be run directly: asked when that would pay.
    """

    __slots__ = (
        "_before",
        "_begin",
        "_calls",
        "_last",
        "_open",
        "_share",
        "_steps",
        "_supported",
        "_thresholds",
        "_total",
        "_until",
        "alike",
        "directly",
        "evaluations",
        "forgotten",
        "knows_alike",
        "new",
        "reads",
        "recorded",
        "spent",
        "visits",
    )

    def __init__(self, supported: Callable[[], bool], thresholds: Thresholds = THRESHOLDS) -> None:
        self.directly = False
        self.forgotten = False
        self.recorded = False
        self.evaluations = 0
        self.new = 0
        self.alike = 0
        self.spent = 0
        self.visits = 0
        self.reads = 0
        self._supported = supported
        self._thresholds = thresholds
        self._open = True
        self.knows_alike = False
        self._share = 1.0
        self._before: float | None = None
        """During a trial, the share of calls in the window before, 1 at first."""
        self._last: float | None = None
        """Outside of trials, the share of calls in the last window that had enough of them."""
        self._total = self._calls = self._steps = self._begin = 0
        self._until = thresholds.window

    @property
    def remembered(self) -> bool:
        """Whether the rule is remembered at present."""
        return not (self.directly or self.forgotten)

    @property
    def never_directly(self) -> bool:
        """Whether it is known that the rule cannot be run directly."""
        return self._until == _NEVER and not self.directly

    @property
    def left(self) -> int:
        """After how many evaluations, at least one, the choice may change."""
        left = max(1, self._until - self.evaluations)
        if self.directly:
            return left
        return min(left, self._few(_PIECE) if self._open else max(_SETTLED, self.evaluations - self._begin))

    def _few(self, calls: int) -> int:
        """Evaluations that need some so many calls."""
        return max(_FEW, int(calls / max(1.0, self._share)))

    @property
    def seems_new(self) -> bool:
        """Whether so much was new of late that it may pay to run the rule once for all that it may read."""
        if not (self.recorded and self.remembered) or self._total < _SEVERAL:
            return False
        evaluated = self.evaluations - self._begin
        share = self._share if evaluated < self._thresholds.window else self._calls / evaluated
        return _MUCH * share >= 1

    @property
    def open(self) -> bool:
        """Whether it is open that remembering the rule pays."""
        return self._open and not self.directly

    def count(self, evaluations: int, calls: int, steps: int = 0) -> None:
        """Counts evaluations, the interpreter calls that they needed, and the steps that they made.

        The choice may have changed then. Steps matter, and need be given, only if it is `open`: of a rule that is run
        directly they are taken one by one.
        """
        self._calls += calls
        self._total += calls
        self._steps += steps
        self.evaluations += evaluations
        self.new += min(calls, evaluations) if self.remembered else evaluations
        evaluated = self.evaluations - self._begin
        early = self.open and self._before is None and evaluated >= _FEW and self._learned(evaluated)
        if early or self.evaluations >= self._until or self._is_worse(evaluated) or self._walks_long(evaluated):
            self._decide()

    def _is_worse(self, evaluated: int) -> bool:
        """Whether much is new again, in a window in which remembering the rule was taken to pay."""
        settled = self.remembered and not (self._open or self._until == _NEVER)
        return settled and self._calls >= max(self._thresholds.seen, _WORSE * self._thresholds.share * evaluated)

    def _learned(self, evaluated: int) -> bool:
        """Whether enough calls were made for the rule to be run directly, after so many evaluations of this window."""
        # Paths that read much, as all of a large dict, take as long to record as several others.
        much = _READ * max(0, self.reads - _FEW * self._total) // _RECORDED if self.recorded else 0
        enough = self._thresholds.learning * (_CHEAP if self.recorded else 1)
        if self._total + much >= enough or self._is_dear(evaluated):
            return True
        # A function records the paths of all alternatives in one call.
        most = evaluated if self.recorded else max(evaluated, self._steps)
        asked = min(self._total, self.evaluations) if self.recorded else self._total
        return asked >= self._thresholds.hopeless and self._calls >= _NEARLY_ALL * most

    def _decide(self) -> None:
        if self.directly:
            self.directly, self._open, self._before = False, True, 1.0
            self._begin_window()
            window = self._few(self._thresholds.trial)
            self._until = self.evaluations + max(window, self.evaluations >> _LONGEST if self.recorded else 0)
            return
        evaluated = max(1, self.evaluations - self._begin)
        all_new = self._is_all_new()
        self._share = self._calls / evaluated
        # A function records the paths of all alternatives in one call, for three times what a direct run costs.
        steps = min(self._steps, evaluated) if self.recorded else self._steps
        most = self._thresholds.share * (evaluated + steps) / (1 if self.recorded else _DEARER)
        long = self._walks_long(evaluated)
        stays = self._stays(evaluated) or self._is_dear(evaluated) or long
        self.spent = 0
        self._open = self._calls > most or stays
        all_new = all_new and self._is_all_new()
        if self._open and not (all_new or long) and self._goes_on(self._calls / (evaluated + self._steps)):
            self._until = self.evaluations + 2 * evaluated
            self._begin_window()
            return
        learned = stays or self._before is not None or self._learned(evaluated)
        self._before = None
        # The next window is longer if it is clear that remembering pays: columns go window by window.
        self._until = (2 if 4 * self._calls > most else 16) * self.evaluations
        self._begin_window()
        if self._open:
            # Windows stay short as long as it is open.
            self._until = self.evaluations + self._few(_PIECE)
            if learned and not self._go_directly():
                self._open = False
                self._until = _NEVER

    def _is_all_new(self) -> bool:
        """Whether a function recorded a path in each evaluation of the last window, of all alternatives in one call."""
        return self.recorded and _NEARLY_ALL <= self._share <= 1.0 / _NEARLY_ALL

    def _stays(self, evaluated: int) -> bool:
        """Whether functions record so many paths of a rule that running it directly costs less, and no fewer in this
        window than in the one before, where windows grow: there is no sign that more will repeat."""
        if not self.recorded or self._calls < self._thresholds.seen or 2 * evaluated < self.evaluations:
            return False
        last, self._last = self._last, self._share
        return last is not None and self._share >= last and self._costs_more(1.0, evaluated)

    def _is_dear(self, evaluated: int) -> bool:
        """Whether recording paths has cost clearly more in this window, where it is known what is alike in all that the
        rule may read: nothing else is run directly."""
        return self.knows_alike and self._calls >= _SEVERAL and self._costs_more(_CLEARLY, evaluated)

    def _walks_long(self, evaluated: int) -> bool:
        """Whether leading rows through the trees of turns has cost clearly more in this window than direct runs would:
        where turns ask for turns, each row may come to nodes that hardly another one comes to."""
        if self.directly or self.forgotten or self._until == _NEVER or self.visits < _MANY_VISITS:
            return False
        return _VISIT * self.visits > _CLEARLY * _LONG * evaluated

    def _begin_window(self) -> None:
        self._begin, self._calls, self._steps, self.visits = self.evaluations, 0, 0, 0

    def _costs_more(self, factor: float, evaluated: int) -> bool:
        """Whether recording paths has cost so many times what running the rule directly would have, in this window."""
        calls, spent = self._calls, self.spent
        recorded = _RECORDED * calls + spent / _RECORDED_CHARGES
        return recorded > factor * ((_DIRECT + spent / (_DIRECT_CHARGES * calls)) * evaluated + _STEP * self._steps)

    def _goes_on(self, share: float) -> bool:
        """Whether a trial goes on: at its beginning most is new, then the share of calls falls if anything repeats."""
        if self._before is None or share >= _FALLING * self._before:
            return False
        self._before = share
        return True

    def forget(self) -> None:
        """Run the rule anew from now on: directly, if it can be."""
        if not self._go_directly():
            self.forgotten, self._open = True, False
            self._until = _NEVER

    def _go_directly(self) -> bool:
        if self._supported():
            self.directly = True
            self._begin_window()
            self._until = max(1, 2 * self.evaluations)
        return self.directly
