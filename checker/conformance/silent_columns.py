"""`SilentColumns`: where many states may be reached by silent steps, they are found by columns, a level at a time.

It takes over from the search of a log as columns take over from an exploration row by row, with the same rules and the
same tables (decision 4). A level is the states after one silent step more. Of these only those are looked at one by one
from which, by the tables, an action that an event names has a step.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from checker.conformance.log_nodes import LogNode
from checker.conformance.observed_event import Observed
from checker.conformance.step_fit import StepFit
from checker.core.exploration import Settings
from checker.core.level import Level, StateRef
from checker.core.patience import Patience
from checker.search.columns.capacity import THREAD
from checker.search.columns.chunk import Chunk
from checker.search.columns.code_tables import NO_PROPERTY, Ints, Mask, Words, halves
from checker.search.columns.column_frontier import Frontier
from checker.search.columns.sizes import SIZES
from checker.search.columns.space import Space
from checker.search.columns.step_rules import StepRule
from checker.search.columns.takeover import take_over
from checker.search.contract.protocol import Task
from checker.search.memo.memo import Memory
from checker.search.rows.row_run import Found, FrontierState, RowRun
from interpreter import State, StepKind
from interpreter.state.step import Rule, StepOrder

_SAMPLE: Final = 64
"""States that are expanded first, so that it is known how values are divided."""
_BLOCK: Final = 1024
"""States that are looked at one by one before others are found."""
_BEGINNING: Final = StepOrder((), (), 0)


class SilentColumns:
    """The states to which silent steps lead from some nodes, by key, of equal positions and as many silent steps.

    `consumed`: the events that all of them explain. Methods raise `Stop`, and `ModelError` where the model fails.
    """

    def __init__(
        self, fit: StepFit, rows: RowRun, nodes: Mapping[int, LogNode], earlier: Sequence[SilentColumns]
    ) -> None:
        self._fit = fit
        self._earlier = earlier
        self._seeds = nodes
        some = next(iter(nodes.values()))
        self._first, self.consumed, self._positions = some.silent, some.consumed, some.positions
        self._run = take_over(rows, SIZES)
        self._run.shares = _SilentRows(fit, self._run.space)
        self._bounds = [len(self._run.store)]
        """By level, how many states were found until its end."""

    @classmethod
    def over(
        cls,
        fit: StepFit,
        patience: Patience,
        nodes: Sequence[LogNode],
        visited: Iterable[State],
        earlier: Sequence[SilentColumns],
    ) -> SilentColumns | None:
        """What takes over from a search of these nodes; None: columns cannot expand their states.

        `visited`: what was met at their positions. `earlier`: what took over there before.
        """
        machine = fit.machine
        seeds = {machine.key(node.state): node for node in nodes}
        rows = RowRun(Task(machine.program, (), Settings(symmetry=False), memory=Memory(machine), patience=patience))
        rows.found = Found(states=None)
        for key in sorted({*map(machine.key, visited), *seeds}):
            number = rows.found.add(key, -1, _BEGINNING)
            if key in seeds:
                rows.waiting.append(FrontierState(number, seeds[key].state, 0, 0, False))
        if not rows.known_to_columns:
            return None
        for one in rows.waiting[:_SAMPLE]:
            ref = StateRef(rows.found.keys[one.number], 0)
            deque(rows.expander.expand(one.state, ref, False, Level()), 0)
        return cls(fit, rows, seeds, earlier)

    @property
    def silent(self) -> int:
        """How many silent steps lead to the states that wait."""
        return self._first + len(self._bounds) - 1

    def next(self) -> int:
        """Take one silent step more; how many states that leads to."""
        level = self._run.next()
        if level.error is not None and level.error.error is not None:
            raise level.error.error
        self._bounds.append(len(self._run.store))
        for part in self._run.frontier:
            new = np.ones(len(part.rows), dtype=np.bool_)
            for one in self._earlier:
                new &= ~one._known(part.high, part.low, self.silent)
            if not new.all():
                part.keep(np.flatnonzero(new))
        return level.states

    def unknown(self, nodes: list[LogNode]) -> list[LogNode]:
        """Those of some nodes, of as many silent steps, whose states were not found after no more of them."""
        if not nodes:
            return nodes
        key = self._fit.machine.key
        known = self._known(*halves([key(node.state) for node in nodes]), nodes[0].silent)
        return [node for node, is_known in zip(nodes, known.tolist(), strict=True) if not is_known]

    def _known(self, high: Words, low: Words, silent: int) -> Mask:
        # States of the first level are known to the search that this has taken over from.
        end = self._bounds[min(max(silent - self._first, 0), len(self._bounds) - 1)]
        numbers = self._run.store.numbers(high, low)
        known: Mask = (numbers >= self._bounds[0]) & (numbers < end)
        return known

    def meeting(self, events: Sequence[Observed]) -> Iterator[list[LogNode]]:
        """The states that wait from which one of these events may be a step, in blocks: nodes that lead to others."""
        readings = [one for event in events for one in event.readings]
        every = any(one.actor is None for one in readings)
        wanted = _Acting(self._fit, readings)
        for part in self._run.frontier:
            which = np.arange(len(part.rows)) if every else np.flatnonzero(self._able(part, wanted))
            for begin in range(0, len(which), _BLOCK):
                some = which[begin : begin + _BLOCK]
                states = part.packing.states(part.rows, some)
                yield list(map(self._node, states, part.numbers[some].tolist()))

    def goes_on(self) -> bool:
        """Whether there is a silent step from a state that waits."""
        for part in self._run.frontier:
            which = np.flatnonzero(self._able(part, self._is_silent))
            for begin in range(0, len(which), _BLOCK):
                states = part.packing.states(part.rows, which[begin : begin + _BLOCK])
                if any(self._fit.silent_steps(state) for state in states):
                    return True
        return False

    def _is_silent(self, rule: StepRule) -> bool:
        if rule.kind is StepKind.START:
            return self._fit.is_silent(rule.candidate.rule)
        return rule.kind is not StepKind.CRASH_ROLE

    def _able(self, part: Frontier, wanted: Callable[[StepRule], bool]) -> Mask:
        """The rows in which one of these rules may have a step: by what is remembered of it, or it must be tried."""
        run = self._run
        expander = run.expander_of(part.packing)
        count = len(part.rows)
        unasked = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.bool_)
        chunk = Chunk(part, 0, count, Level(), *unasked, run.space.sizes.steps)
        found = np.zeros(count, dtype=np.bool_)
        for rule in expander.rules:
            if found.all():
                break
            if wanted(rule):
                run.task.patience.ask()
                rows = np.flatnonzero(~found)
                found[rows] = True if rule.alone else expander.able(rule, chunk, rows)
        return found

    # --- how a state was reached -----------------------------------------------------------------------------------

    def _node(self, state: State, number: int) -> LogNode:
        silent = self._first + bisect_right(self._bounds, number)
        found = LogNode(state, self._positions, self.consumed, silent)
        found.origin = lambda: self._origin(number)
        return found

    def _origin(self, number: int) -> LogNode:
        """The node of a state, with those that lead there: its steps are taken again, one after the other."""
        machine = self._fit.machine
        beginning, *links = self._run.path(self._run.store.key(number))
        assert beginning.key is not None
        node = self._seeds[beginning.key]
        for link in links:
            found = self._fit.silent_steps(node.state)
            step = next(one for one in found if machine.key(one.target) == link.key)
            node = LogNode(step.target, node.positions, node.consumed, node.silent + 1, node, step)
        return node


class _SilentRows:
    """The steps that are silent, as the part of its steps that a run takes."""

    def __init__(self, fit: StepFit, space: Space) -> None:
        self._fit = fit
        self._space = space
        self._threads: Ints = NO_PROPERTY

    def own(self, rule: StepRule, chunk: Chunk) -> Ints:
        """As `StepShares.own`."""
        everywhere = np.arange(chunk.end - chunk.begin)
        if rule.kind is StepKind.CONTINUE:
            return everywhere[self._continues(rule, chunk)]
        if rule.kind is StepKind.DELIVER:
            # All messages may be delivered silently, or there are none (`StepFit.fits_columns`).
            return everywhere
        starts = rule.kind is StepKind.START and self._fit.is_silent(rule.candidate.rule)
        return everywhere if starts else everywhere[:0]

    def _continues(self, rule: StepRule, chunk: Chunk) -> Mask:
        """The rows in whose slot is a thread that continues silently."""
        threads = self._space.tables.threads
        self._threads = threads.property(
            lambda thread: int(self._fit.is_silent(Rule(StepKind.CONTINUE, thread))), self._threads
        )
        assert rule.thread_slot is not None
        codes = chunk.part.packing.codes(chunk.rows(), (THREAD, rule.thread_slot))
        silent: Mask = self._threads.take(codes) != 0
        return silent

    def note(self, chunk: Chunk) -> None:
        """As `StepShares.note`: dead ends are not judged."""


class _Acting:
    """The rules whose steps some events may be: starts of the actions that they name; at labels, all that go on too."""

    def __init__(self, fit: StepFit, readings: Sequence[Observed]) -> None:
        self._machine = fit.machine
        self._actors = {one.actor for one in readings}
        self._labels = any(one.label is not None for one in readings)

    def __call__(self, rule: StepRule) -> bool:
        if rule.kind is StepKind.START:
            return self._machine.actor(rule.candidate.rule) in self._actors
        return self._labels and rule.kind is not StepKind.CRASH_ROLE
