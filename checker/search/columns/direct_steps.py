"""`DirectSteps`: steps of rules that are not remembered. What they write goes into many rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from checker.liveness.graph import LiveStep
from checker.search.columns.arrivals import Arrived
from checker.search.columns.batch import Taken
from checker.search.columns.chunk import Chunk
from checker.search.columns.code_tables import Ints, Mask, Words, halves
from checker.search.columns.effects import NO_KIND
from checker.search.columns.judge import AssertionEvaluator
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.space import Space
from checker.search.columns.step_rules import StepRule
from checker.search.contract.bounds import starts_after
from checker.search.contract.level_counts import distinct_names
from checker.search.contract.parents import crashes_after
from interpreter.state.state import State
from interpreter.state.step import Outcome, Result, Rule, StepOrder

_FIELD: Final = 16
"""What many values add to keys is found part by part if there are so many for each part; else value by value."""


class RowSteps(NamedTuple):
    """The steps of a rule from one row of a chunk, by its index there: values that they write, and nothing else.

    `writes`: of each outcome the values by position in the layout.
    """

    row: int
    state: State
    outcomes: list[Outcome]
    writes: list[list[tuple[int, int]]]


class DirectSteps:
    """Runs rules on the rows of one packing, and takes their steps."""

    def __init__(self, space: Space, judge: AssertionEvaluator, packing: Packing, wants_edges: bool) -> None:
        self.space = space
        self.judge = judge
        self.packing = packing
        self.wants_edges = wants_edges
        self._sums: list[dict[int, int]] = [{} for _ in packing.layout.slots]
        """By position in the layout, what values add to keys."""

    def run(self, rule: StepRule, chunk: Chunk, which: Ints) -> list[RowSteps]:
        """Run a rule in some rows of a chunk. Steps that do more than write values are taken at once, by the machine.

        The values to be written get codes; the packing may be outgrown after.
        """
        part, level, expander = chunk.part, chunk.level, self.space.expander
        candidate, acts = rule.candidate, rule.candidate.rule
        changes, learn = self.space.machine.transitions.changes, self.packing.learn_value
        states = chunk.states(which)
        found: list[RowSteps] = []
        for row, state, results in zip(which.tolist(), states, self._results(acts, states), strict=True):
            at = partial(part.ref, chunk.begin + row)
            outcomes, aborted, failed = expander.sort_out(candidate, results, at, level)
            if failed:
                chunk.failed[row] = True
            writes = []
            for outcome in outcomes:
                written = None if outcome.may_crash else changes(state, acts, outcome)
                if written is None:
                    break
                writes.append(written)
            steps = RowSteps(row, state, outcomes, writes)
            if len(writes) < len(outcomes):
                taken = self._by_machine(rule, chunk, steps)
            else:
                for written in writes:
                    for position, number in written:
                        learn(position, number)
                if outcomes:
                    found.append(steps)
                taken = len(outcomes)
                chunk.make(taken)
            rule.ran += taken
            if aborted or taken:
                expander.note(acts, taken, aborted, level)
        rule.ran_in += len(states)
        return found

    def unnoted(self, rule: StepRule, chunk: Chunk, which: Ints, known: Mask) -> list[RowSteps]:
        """The steps of a rule in some rows for `next_states()`: they count nowhere.

        Rows with steps that do more than write values are `known` no more. The packing may be outgrown after.
        """
        changes, acts = self.space.machine.transitions.changes, rule.candidate.rule
        found: list[RowSteps] = []
        for row, state in zip(which.tolist(), chunk.states(which), strict=True):
            self.judge.task.patience.ask()
            results = self.space.memory.unnoted(acts, state) if known[row] else ()
            outcomes = [result for result in results or () if isinstance(result, Outcome)]
            writes = []
            for outcome in outcomes:
                written = None if outcome.may_crash else changes(state, acts, outcome)
                if written is not None:
                    writes.append(written)
            if results is None or len(writes) < len(outcomes):
                known[row] = False
                continue
            for position, number in [pair for written in writes for pair in written]:
                self.packing.learn_value(position, number)
            if outcomes:
                found.append(RowSteps(row, state, outcomes, writes))
            chunk.make(len(outcomes))
        return found

    def _results(self, rule: Rule, states: list[State]) -> Iterator[Sequence[Result]]:
        """The results of a rule in each of some states."""
        patience, memory = self.judge.task.patience, self.space.memory
        for results in memory.results_in(rule, states):
            patience.ask()
            yield results

    def count(self, chunk: Chunk, found: list[RowSteps]) -> None:
        """Count the transitions from rows."""
        for one in found:
            moves = len(one.outcomes)
            if moves > 1:
                moves = distinct_names([outcome.choices for outcome in one.outcomes])
            chunk.moves[one.row] += moves
            chunk.level.transitions += moves

    # --- by columns ------------------------------------------------------------------------------------------------

    def take(self, rule: StepRule, chunk: Chunk, found: list[RowSteps]) -> Taken:
        """Take the steps by columns: the targets fit the packing."""
        part, rows = chunk.part, chunk.rows()
        source = np.repeat([one.row for one in found], [len(one.outcomes) for one in found])
        after = Rows([word.take(source) for word in rows.words])
        sums = np.zeros((len(source), 2), dtype=np.uint64)
        self._write(found, after, sums)
        orders, live = self._orders(rule, found)
        origin = chunk.begin + source
        none = np.zeros(len(source), dtype=np.bool_)
        return Taken(part.steps(origin, after, sums, orders, rule.kind, none), none, origin, live)

    def _write(self, found: list[RowSteps], after: Rows, sums: Words) -> None:
        """Write values into the rows, and add to the sums what that adds to the keys."""
        by_position: dict[int, tuple[list[int], list[int], list[int]]] = {}
        step = 0
        for one in found:
            values = one.state.values
            for written in one.writes:
                for position, number in written:
                    steps, new, old = by_position.setdefault(position, ([], [], []))
                    steps.append(step)
                    new.append(number)
                    old.append(values[position])
                step += 1
        for position, (steps, new, old) in by_position.items():
            where = np.array(steps, dtype=np.int64)
            fields = self.packing.fields_of(position)
            if len(fields) * _FIELD > len(steps):
                self.packing.put_values(after, where, position, new)
                high, low = self._key_sums(position, new)
                gone_high, gone_low = self._key_sums(position, old)
                sums[where, 0] += high - gone_high
                sums[where, 1] += low - gone_low
                continue
            before = after.take(where)
            self.packing.put_values(after, where, position, new)
            put = after.take(where)
            for slot, field in fields:
                table = field.table.sums
                change = table.take(self.packing.codes(put, slot), 0) - table.take(self.packing.codes(before, slot), 0)
                sums[where] += change

    def _key_sums(self, position: int, numbers: list[int]) -> tuple[Words, Words]:
        """What values add to keys, in halves."""
        known, slot = self._sums[position], self.packing.layout.slots[position]
        for number in numbers:
            if number not in known:
                known[number] = self.space.machine.slot_sum(slot, number)
        return halves([known[number] for number in numbers])

    def _orders(self, rule: StepRule, found: list[RowSteps]) -> tuple[np.ndarray, Ints]:
        """The numbers of the step orders, and the kinds for liveness."""
        candidate, space = rule.candidate.order, self.space
        outcomes = [outcome for one in found for outcome in one.outcomes]
        orders = {forks: space.order(candidate, forks, 0) for forks in {outcome.forks for outcome in outcomes}}
        if not self.wants_edges:
            live = np.full(len(outcomes), NO_KIND, dtype=np.int64)
        else:
            fair = space.fair_name(rule.candidate.rule)
            kinds = {
                one: space.edges.kind(LiveStep(StepOrder(candidate, one[0], 0), fair, one[1]))
                for one in {(outcome.forks, outcome.fair) for outcome in outcomes}
            }
            live = np.array([kinds[outcome.forks, outcome.fair] for outcome in outcomes], dtype=np.int64)
        return np.array([orders[outcome.forks] for outcome in outcomes], dtype=np.int32), live

    # --- by the machine --------------------------------------------------------------------------------------------

    def by_machine(self, rule: StepRule, chunk: Chunk, found: list[RowSteps]) -> None:
        """Have the machine take the steps from rows, which are counted and judged then."""
        for one in found:
            self._by_machine(rule, chunk, one)

    def _by_machine(self, rule: StepRule, chunk: Chunk, steps: RowSteps) -> int:
        part, level, space = chunk.part, chunk.level, self.space
        at = chunk.begin + steps.row
        before = level.transitions
        arrivals = space.expander.steps(steps.state, part.ref(at), rule.candidate, steps.outcomes, level)
        edges: list[tuple[int, int, int]] = []
        taken = 0
        for arrival in arrivals:
            taken += 1
            order = space.order(*arrival.order)
            starts = starts_after(int(part.starts[at]), arrival.kind)
            crashes = crashes_after(int(part.crashes[at]), arrival.crash)
            found = Arrived(arrival.state, arrival.key, int(part.numbers[at]), order, starts, crashes)
            chunk.arrivals(space.packing(arrival.state.layout)).alone.append(found)
            if self.wants_edges and arrival.live is not None:
                edges.append((found.parent, space.edges.kind(arrival.live), arrival.key))
        chunk.make(taken)
        chunk.moves[steps.row] += level.transitions - before
        if edges:
            sources, kinds, keys = zip(*edges, strict=True)
            space.edges.take(np.array(sources), np.array(kinds), *halves(keys))
        return taken
