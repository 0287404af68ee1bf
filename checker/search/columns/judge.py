"""`AssertionEvaluator`: assertions over columns of states and of steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from checker.core.level import Level, StateRef, Witness
from checker.core.property import Watch
from checker.search.columns.batch import Taken
from checker.search.columns.chunk import TooWide
from checker.search.columns.code_tables import Ints, Mask, distinct
from checker.search.columns.follow_judge import FollowedRows, FollowJudge
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.rule_verdicts import RuleVerdicts
from checker.search.columns.space import Space
from checker.search.columns.step_changes import StepChanges, changed_bits
from checker.search.columns.step_rules import StepRule
from checker.search.columns.verdicts import FAILED, FALSE, OPEN, TRUE
from checker.search.contract.assertion_answers import Assertions
from checker.search.contract.judge_watches import fails_in_state, fails_in_step, judge_step, leaves_out
from checker.search.contract.protocol import Task
from checker.search.memo.shared_pairs import SharedPairs
from interpreter import ModelError
from interpreter.state.state import Layout, State
from interpreter.state.step import Rule, StepOrder

if TYPE_CHECKING:
    from checker.search.columns.column_frontier import Frontier

Answers = tuple[NDArray[np.int8], dict[int, str | None]]
"""TRUE, FALSE or FAILED per row; the instance that decided, for some rows."""


@dataclass(slots=True)
class _RowByRow:
    """What an assertion answered row by row."""

    values: NDArray[np.int8]
    instances: dict[int, str | None] = field(default_factory=dict)
    errors: dict[int, ModelError] = field(default_factory=dict)


class AssertionEvaluator:
    """Asks the assertions that a task watches."""

    def __init__(self, task: Task, space: Space) -> None:
        self.task = task
        self.space = space
        self.of_states, self.of_steps, _ = task.watching
        self.recorded = {watch.key: bytearray() for watch in task.watches if watch.records}
        self.verdicts = RuleVerdicts(space, task.patience)
        self._rowwise = Assertions(space.machine, space.memory.view, SharedPairs(space.memory).result)
        self._rules: dict[tuple[int, Layout], list[Rule]] = {}
        self._changes = StepChanges(space)
        self.following: FollowJudge | None = None
        """Evaluates assertions that ask for successors, where columns know these."""
        self._by_rows: dict[tuple[int, str], _RowByRow] = {}
        """By part and watch: the answers of assertions that were asked row by row on this level."""

    # --- states ----------------------------------------------------------------------------------------------------

    def states(self, parts: list[Frontier], level: Level, base: int) -> list[Ints | None]:
        """Judge the states of a level, of which the least has the number `base`.

        The rows to go on with for each part, None for all.
        """
        pruned = [np.zeros(len(part.rows), dtype=np.bool_) for part in parts]
        count = sum(len(part.rows) for part in parts)
        recorded: dict[str, bytes] = {}
        self._by_rows.clear()
        for watch in self.of_states:
            answers = np.zeros(count if watch.records else 0, dtype=np.uint8)
            for part, gone in zip(parts, pruned, strict=True):
                self.task.patience.ask()
                values, instances = self._values(watch, part, level)
                if watch.records:
                    answers[part.numbers - base] = values == TRUE
                if watch.seeks is None:
                    continue
                hits = np.flatnonzero(values == (TRUE if watch.seeks else FALSE))
                if len(hits):
                    row = part.first(hits)
                    level.see(watch.key, Witness(part.ref(row), instance=instances.get(row)))
                    if leaves_out(watch, self.task.prune):
                        gone[hits] = True
            if watch.records:
                recorded[watch.key] = answers.tobytes()
        for key, answered in recorded.items():
            self.recorded[key] += answered
        self._by_rows.clear()
        return [np.flatnonzero(~gone) if gone.any() else None for gone in pruned]

    def _values(self, watch: Watch, part: Frontier, level: Level) -> Answers:
        """TRUE, FALSE or FAILED per row; the instance that decided, for the reported row of a sought verdict."""
        assert watch.predicate is not None
        wanted = TRUE if watch.predicate.some else FALSE
        values = np.full(len(part.rows), FALSE if wanted == TRUE else TRUE, dtype=np.int8)
        instances: dict[int, str | None] = {}
        if self._follows(watch):
            return self._row_by_row(watch, part, level)
        open_rows = np.arange(len(part.rows))
        for rule in self._rules_of(watch.predicate.assertion, part.packing):
            if not len(open_rows):
                break
            rows = part.rows if len(open_rows) == len(part.rows) else part.rows.take(open_rows)
            found = self.verdicts.ask(rule, part.packing, rows)
            if found is None:
                return self._row_by_row(watch, part, level)
            verdicts = found.values
            failed = np.flatnonzero(verdicts == FAILED)
            if len(failed):
                row = part.first(open_rows[failed])
                error = found.errors[int(np.searchsorted(open_rows, row))]
                fails_in_state(watch, part.ref(row), error, level)
            decided = verdicts != (TRUE if wanted == FALSE else FALSE)
            values[open_rows[decided]] = verdicts[decided]
            hits = open_rows[verdicts == wanted]
            if len(hits) and rule.instance is not None:
                instances[part.first(hits)] = f"{rule.instance[0]}#{rule.instance[1]}"
            open_rows = open_rows[~decided]
        return values, instances

    def _rules_of(self, assertion: int, packing: Packing) -> list[Rule]:
        key = (assertion, packing.layout)
        if key not in self._rules:
            self._rules[key] = self.space.machine.assertion_rules(assertion, packing.nowhere)
        return self._rules[key]

    def _row_by_row(self, watch: Watch, part: Frontier, level: Level) -> Answers:
        """The answers of an assertion that columns cannot evaluate.

        All others that must be asked row by row are asked with it: each state is made once, and the assertions that use
        the successors of a state are asked one after the other.
        """
        if (id(part), watch.key) not in self._by_rows:
            for one in self.of_states:
                if one is watch or self._is_slow(one, part.packing):
                    self._by_rows[id(part), one.key] = _RowByRow(np.empty(len(part.rows), dtype=np.int8))
            asked = [one for one in self.of_states if (id(part), one.key) in self._by_rows]
            size = self.space.sizes.followed
            for begin in range(0, len(part.rows), size):
                self._judge_rows(part, begin, min(begin + size, len(part.rows)), asked)
        found = self._by_rows[id(part), watch.key]
        # Of errors in one state, that of the first of these assertions is reported.
        for row, error in found.errors.items():
            fails_in_state(watch, part.ref(row), error, level)
        return found.values, found.instances

    def _judge_rows(self, part: Frontier, begin: int, end: int, asked: list[Watch]) -> None:
        """Ask assertions row by row, from row `begin` to before `end`."""
        decided = np.zeros((len(asked), end - begin), dtype=np.bool_)
        if self.following is not None and any(map(self._follows, asked)):
            try:
                rows = self.following.rows(part, begin, end)
            except TooWide:
                middle = (begin + end) // 2
                self._judge_rows(part, begin, middle, asked)
                self._judge_rows(part, middle, end, asked)
                return
            for own, one in zip(decided, asked, strict=True):
                if rows is not None and self._follows(one):
                    own |= self._follow(one, rows, self._by_rows[id(part), one.key])
        for row in np.flatnonzero(~decided.all(axis=0)).tolist():
            self.task.patience.ask()
            state = part.packing.unpack(part.rows, begin + row)
            for own, one in zip(decided, asked, strict=True):
                if not own[row]:
                    self._judge_row(one, state, begin + row, self._by_rows[id(part), one.key])

    def _follow(self, watch: Watch, rows: FollowedRows, answers: _RowByRow) -> Mask:
        """Ask an assertion that asks for successors in rows of which these are known; in which rows it is decided."""
        assert watch.predicate is not None
        assert self.following is not None
        wanted = TRUE if watch.predicate.some else FALSE
        still = np.flatnonzero(rows.followed.known)
        decided = np.zeros(rows.end - rows.begin, dtype=np.bool_)
        for rule in self._rules_of(watch.predicate.assertion, rows.part.packing):
            verdicts = self.following.decide(rule, rows, still)
            hits = still[verdicts == wanted]
            decided[hits] = True
            answers.values[rows.begin + hits] = wanted
            if rule.instance is not None:
                name = f"{rule.instance[0]}#{rule.instance[1]}"
                answers.instances.update((rows.begin + row, name) for row in hits.tolist())
            still = still[(verdicts != wanted) & (verdicts != OPEN)]
        decided[still] = True
        answers.values[rows.begin + still] = FALSE if wanted == TRUE else TRUE
        return decided

    def _follows(self, watch: Watch) -> bool:
        """Whether the text of an assertion asks for successors."""
        assert watch.predicate is not None
        return self.space.machine.program.assertions[watch.predicate.assertion].follows

    def _is_slow(self, watch: Watch, packing: Packing) -> bool:
        """Whether an assertion is asked row by row from its first rule on: it asks for successors, or so was found."""
        assert watch.predicate is not None
        if self._follows(watch):
            return True
        first = self._rules_of(watch.predicate.assertion, packing)[:1]
        return any(self.verdicts.needs_rows(rule, packing) for rule in first)

    def _judge_row(self, watch: Watch, state: State, row: int, answers: _RowByRow) -> None:
        assert watch.predicate is not None
        try:
            answer = self._rowwise.holds(watch.predicate, state)
        except ModelError as error:
            answers.errors[row] = error
            answers.values[row] = FAILED
            return
        answers.values[row] = TRUE if answer.value else FALSE
        answers.instances[row] = answer.instance

    # --- steps -----------------------------------------------------------------------------------------------------

    def steps(self, rule: StepRule, part: Frontier, taken: Taken, level: Level, target: Packing | None = None) -> None:
        """Judge steps; crashes are left out. `target`: the packing of the states they lead to, if it is another one."""
        live = np.flatnonzero(~taken.twin)
        if rule.candidate.order[0] == 3 or not len(live) or not self.of_steps:
            return
        # What `def`s return of the state before is remembered for the other steps from it.
        live = live[np.argsort(taken.origin[live], kind="stable")]
        packing = target or part.packing
        before, after = part.rows.take(taken.origin[live]), taken.batch.rows.take(live)
        if packing is part.packing and not packing.layout.cells:
            changed = changed_bits(packing, before, after)
        else:
            changed = self._changes.among(part.packing, before, packing, after)
        some = np.flatnonzero(changed)
        if not len(some):
            return
        rows = live[some]
        before, after = before.take(some), after.take(some)
        for watch in self.of_steps:
            self._judge_pairs(watch, packing, before, after, rows, taken, part, level)

    def _judge_pairs(
        self,
        watch: Watch,
        packing: Packing,
        before: Rows,
        after: Rows,
        rows: Ints,
        taken: Taken,
        part: Frontier,
        level: Level,
    ) -> None:
        """Ask rule by rule for the pairs that are still open. The least sought one of each rule is reported."""
        assert watch.predicate is not None
        wanted = TRUE if watch.predicate.some else FALSE
        sought = None if watch.seeks is None else TRUE if watch.seeks else FALSE
        open_rows = np.arange(len(rows))
        for rule in self._rules_of(watch.predicate.assertion, packing):
            if not len(open_rows):
                return
            if len(open_rows) < len(before):
                before, after, rows = before.take(open_rows), after.take(open_rows), rows[open_rows]
            found = self.verdicts.ask(rule, packing, after, before, part.packing)
            assert found is not None
            verdicts = found.values
            for at in self._least_sources(np.flatnonzero(verdicts == FAILED), rows, taken, part):
                source, order, target = self._step_of(int(rows[at]), taken, part)
                fails_in_step(watch, source, order, target, found.errors[at], level)
            if wanted == sought:
                instance = None if rule.instance is None else f"{rule.instance[0]}#{rule.instance[1]}"
                for at in self._least_sources(np.flatnonzero(verdicts == wanted), rows, taken, part):
                    level.see(watch.key, Witness(*self._step_of(int(rows[at]), taken, part), instance))
            open_rows = np.flatnonzero((verdicts != wanted) & (verdicts != FAILED))
        if sought is not None and wanted != sought:
            for at in self._least_sources(open_rows, rows, taken, part):
                level.see(watch.key, Witness(*self._step_of(int(rows[at]), taken, part)))

    def _least_sources(self, hits: Ints, rows: Ints, taken: Taken, part: Frontier) -> list[int]:
        """Of some pairs those from the least source, where the least witness is."""
        if not len(hits):
            return []
        sources = taken.origin[rows[hits]]
        least: list[int] = hits[sources == part.first(distinct(sources))].tolist()
        return least

    def _step_of(self, row: int, taken: Taken, part: Frontier) -> tuple[StateRef, StepOrder, int]:
        """A step as witnesses have it: its source, its position in the step order, the key of its target."""
        batch = taken.batch
        order = self.space.orders[int(batch.orders[row])]
        target = (int(batch.high[row]) << 64) | int(batch.low[row])
        return part.ref(int(taken.origin[row])), order, target

    def step(self, before: State, after: State, source: StateRef, order: int, target: int, level: Level) -> None:
        """Judge one step that was made by the machine; `target` is the key of the state it leads to."""
        judge_step(self._rowwise, self.of_steps, before, after, source, self.space.orders[order], target, level)
