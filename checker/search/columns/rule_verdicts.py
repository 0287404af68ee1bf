"""`RuleVerdicts`: the verdicts of assertion rules in many states, or for many steps, at a time.

A rule is remembered by what it asks, or run directly: once for rows that are alike in all that it may read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from checker.core.patience import Patience
from checker.search.columns.alike_verdicts import AlikeVerdicts
from checker.search.columns.code_tables import Ints, distinct
from checker.search.columns.joint_verdicts import JointVerdicts
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.pair_verdicts import PairVerdicts
from checker.search.columns.remembered import Remembered
from checker.search.columns.shares import Slots, most_varied
from checker.search.columns.sizes import Sizes
from checker.search.columns.sources import NeedsRows, PairColumns, StateColumns
from checker.search.columns.space import Space
from checker.search.columns.step_rules import ALONE
from checker.search.columns.trie_walk import results_of
from checker.search.columns.verdicts import FAILED, FALSE, OPEN, TRUE
from checker.search.memo.trie import Counters, Leaf, ReadTree
from interpreter import ModelError
from interpreter.execute.pair_answers import Pair
from interpreter.state.state import State
from interpreter.state.step import Failure, Outcome, Result, Rule, verdict_of
from interpreter.values.intern import Interner

_LITTLE: Final = 0.1
"""What an assertion has missed in tables is little if it is no more than this part of what another one has."""
_AT_ONCE: Final = 16
"""Pairs are asked for in so many states before an interruption is heard."""


@dataclass(slots=True)
class Verdicts:
    """TRUE, FALSE or FAILED for each row of those that a rule was asked about; the errors of some rows."""

    values: NDArray[np.int8]
    errors: dict[int, ModelError] = field(default_factory=dict)

    def put(self, begin: int, some: Verdicts) -> None:
        """Take in what was decided about the rows from `begin` on."""
        self.values[begin : begin + len(some.values)] = some.values
        self.errors.update((begin + row, error) for row, error in some.errors.items())


@dataclass(slots=True)
class _Asked:
    """Rows of one packing that are asked about, or pairs of rows before and after a step.

    `former`: the packing of those before.
    """

    packing: Packing
    rows: Rows
    before: Rows | None
    former: Packing

    def columns(self, interner: Interner) -> StateColumns | PairColumns:
        after = StateColumns(self.packing, self.rows, interner)
        return after if self.before is None else PairColumns(StateColumns(self.former, self.before, interner), after)

    @property
    def sides(self) -> list[Rows]:
        return [self.rows] if self.before is None else [self.rows, self.before]

    def take(self, which: Ints) -> _Asked:
        """Some of the rows."""
        before = None if self.before is None else self.before.take(which)
        return _Asked(self.packing, self.rows.take(which), before, self.former)

    def states(self) -> tuple[list[State], list[State] | None]:
        """The states, and those before."""
        every = np.arange(len(self.rows))
        before = None if self.before is None else self.former.states(self.before, every)
        return self.packing.states(self.rows, every), before


class _SomeRows:
    """Asks for the verdicts in some of the rows, of which tables know the others. `count`: of how many."""

    def __init__(self, rows: _Asked, verdicts_in: Callable[[_Asked], Verdicts]) -> None:
        self._rows = rows
        self._verdicts_in = verdicts_in
        self._errors: dict[int, ModelError] = {}
        self.count = 0

    def ask(self, which: Ints) -> Ints:
        """The verdicts in these rows."""
        self.count += len(which)
        some = self._verdicts_in(self._rows.take(which))
        self._errors.update((int(which[row]), error) for row, error in some.errors.items())
        return some.values.astype(np.int64)

    def verdicts(self, values: Ints) -> Verdicts:
        """The verdicts in all rows, with errors: tables do not keep those."""
        failed = np.flatnonzero(values == FAILED)
        if len(failed) > len(self._errors):
            self.ask(failed)
        return Verdicts(values.astype(np.int8), self._errors)


class _AskedRule:
    """One assertion rule over the rows of one packing, or of pairs of them.

    Its units are its execution paths by first choices. `note` is called with each result that some row has, up to the
    one with the verdict.
    """

    def __init__(self, tree: ReadTree, most: int, sizes: Sizes, note: Callable[[Result], None]) -> None:
        self.remembered = Remembered(tree, most, sizes)
        self.joint = JointVerdicts()
        self.pays = True
        """Whether remembering pays, as far as is known."""
        self._note = note
        self._met = np.zeros(0, dtype=np.bool_)
        self.values: NDArray[np.int8] = np.zeros(0, dtype=np.int8)

    def column(self) -> NDArray[np.int8]:
        """TRUE, FALSE or FAILED for each bundle."""
        parts = self.remembered.bundles.parts
        if len(self.values) != len(parts):
            self.values = np.array([_verdict(leaves) for leaves in parts], dtype=np.int8)
        return self.values

    def error(self, bundle: int) -> ModelError:
        result = verdict_of(results_of(self.remembered.bundles.parts[bundle]))
        assert isinstance(result, Failure)
        return result.error

    def decide(self, units: list[Ints]) -> tuple[NDArray[np.int8], Ints]:
        """TRUE, FALSE or FAILED for each row, and the first bundle, unit by unit, with that verdict."""
        column = self.column()
        bundles = units[0]
        self._meet(bundles)
        verdicts = column[bundles]
        for unit in units[1:]:
            still = verdicts == OPEN
            if not still.any():
                break
            self._meet(unit[still])
            bundles = np.where(still, unit, bundles)
            verdicts = column[bundles]
        return verdicts, bundles

    def _meet(self, bundles: Ints) -> None:
        """Note the results in bundles that no row had before."""
        parts = self.remembered.bundles.parts
        if len(self._met) < len(parts):
            self._met = np.concatenate([self._met, np.zeros(len(parts) - len(self._met), dtype=np.bool_)])
        for bundle in distinct(bundles[~self._met[bundles]]).tolist():
            self._met[bundle] = True
            for leaf in parts[bundle]:
                self._note(leaf.result)
                if _verdict((leaf,)) != OPEN:
                    break


def _verdict(leaves: tuple[Leaf, ...]) -> int:
    for leaf in leaves:
        result = leaf.result
        if isinstance(result, Failure):
            return FAILED
        if isinstance(result, Outcome) and result.value is not None:
            return TRUE if result.value else FALSE
    return OPEN


def _less_missed(asked: _AskedRule) -> int:
    return -asked.remembered.misses


class RuleVerdicts:
    """Asks assertion rules over columns."""

    def __init__(self, space: Space, patience: Patience) -> None:
        self.space = space
        self._patience = patience
        self._asked: dict[tuple[Rule, Packing, Packing], _AskedRule | None] = {}
        """By rule, packing, and that of the states before."""
        self._alike_verdicts: dict[tuple[Rule, Packing], AlikeVerdicts] = {}
        self._pair_verdicts: dict[tuple[int, tuple[str, int] | None, Packing], PairVerdicts] = {}
        """By the number of a `leadsto` assertion, and its instance."""

    def looks_at(self, packing: Packing) -> list[Slots]:
        """Sets of slots of a packing that all execution paths of assertions about states read, as far as is known.

        First those that the assertions have in common for which most was looked up, then those of the first of these;
        a few of them.
        """
        asked = [one for (_, of, _), one in self._asked.items() if of is packing and one is not None]
        most = max([one.remembered.misses for one in asked], default=0)
        asked = sorted([one for one in asked if one.remembered.misses > _LITTLE * most], key=_less_missed)
        read = [slots for one in asked if (slots := one.remembered.read_by_all(packing, self.space.machine.values))]
        common: Slots = frozenset()
        for slots in read:
            common = common & slots or common or slots
        return list(dict.fromkeys([most_varied(packing, slots) for slots in (common, *read[:1])]))

    def forget(self) -> None:
        """Forget what assertions answered; the memory may have forgotten it."""
        self._asked.clear()
        self._alike_verdicts.clear()
        self._pair_verdicts.clear()

    def ask(
        self, rule: Rule, packing: Packing, rows: Rows, before: Rows | None = None, former: Packing | None = None
    ) -> Verdicts | None:
        """The verdicts of an assertion rule; None if it must be asked row by row.

        `before`: the states before the steps that it is about; `former`: their packing, if it is another one.
        """
        key = (rule, packing, former or packing)
        if key not in self._asked:
            self._asked[key] = self._new(rule)
        choice = self.space.memory.choice(rule)
        found = Verdicts(np.empty(len(rows), dtype=np.int8))
        begin = 0
        while begin < len(rows):
            alone = self._is_run(rule, before)
            end = min(begin + (min(choice.left, ALONE) if alone else choice.left), len(rows))
            some_before = None if before is None else before.part(begin, end)
            some = _Asked(packing, rows.part(begin, end), some_before, former or packing)
            if not alone and self._asked[key] is None:
                return None
            try:
                found.put(begin, self._ask_once(rule, some))
            except NeedsRows:
                self._asked[key] = None
                return None
            if choice.forgotten and not alone:
                self._asked[key] = None
            begin = end
        return found

    def _ask_once(self, rule: Rule, rows: _Asked) -> Verdicts:
        """Ask an assertion rule, once for rows that are alike in all that it may read, if that may pay."""
        choice = self.space.memory.choice(rule)
        pairs = self._pairs_of(rule, rows) if choice.directly else None
        if pairs is not None:
            return self._ask_pairs(rule, rows, pairs)
        alike = self._alike(rule, rows) if choice.directly or choice.seems_new else None
        choice.knows_alike = alike is not None
        if alike is None:
            return self._ask_all(rule, rows)
        some = _SomeRows(rows, partial(self._ask_all, rule))
        values = alike.of(rows.sides, some.ask)
        if choice.directly and self._alike(rule, rows) is not alike:
            # It has turned out to read more.
            return self._ask_once(rule, rows)
        choice.alike += len(values) - some.count
        return some.verdicts(values)

    def _ask_pairs(self, rule: Rule, rows: _Asked, known: PairVerdicts) -> Verdicts:
        """Ask a question about pairs by what is known of these from any question."""
        memory, question = self.space.memory, self.space.machine.program.assertions[rule.subject].question
        assert question is not None
        asked = 0

        def ask(which: Ints) -> list[Mapping[str, Pair] | None]:
            nonlocal asked
            asked += len(which)
            found: list[Mapping[str, Pair] | None] = []
            states, _ = rows.take(which).states()
            while some := states[len(found) : len(found) + _AT_ONCE]:
                self._patience.ask()
                found += memory.pairs_in(rule, some)
            return found

        found = Verdicts(known.of(question, rows.sides, ask))
        if self._pairs_of(rule, rows) is not known:
            # It has turned out to read more, or pairs are seldom known.
            return self._ask_once(rule, rows)
        memory.choice(rule).alike += len(found.values) - asked
        lost = np.flatnonzero(found.values == OPEN)
        if len(lost):
            some = self._ask_all(rule, rows.take(lost))
            found.values[lost] = some.values
            found.errors.update((int(lost[row]), error) for row, error in some.errors.items())
        return found

    def _ask_all(self, rule: Rule, rows: _Asked) -> Verdicts:
        """Ask an assertion rule by what is remembered, or else run it in each row."""
        if self._is_run(rule, rows.before):
            return self._run(rule, rows)
        asked = self._asked[rule, rows.packing, rows.former]
        assert asked is not None
        return self._look_up(rule, rows, asked)

    def _is_run(self, rule: Rule, before: Rows | None) -> bool:
        """Whether an assertion rule is run in each row at present; `before`: as of `ask`."""
        choice = self.space.memory.choice(rule)
        return choice.directly or (choice.forgotten and before is not None)

    def _run(self, rule: Rule, rows: _Asked) -> Verdicts:
        """Ask an assertion rule that is not remembered."""
        values, errors, ask = [], {}, self._patience.ask
        for row, result in enumerate(self.space.memory.verdicts_in(rule, *rows.states())):
            ask()
            if isinstance(result, Failure):
                errors[row] = result.error
                values.append(FAILED)
            else:
                assert isinstance(result, Outcome)
                values.append(TRUE if result.value else FALSE)
        return Verdicts(np.array(values, dtype=np.int8), errors)

    def _look_up(self, rule: Rule, rows: _Asked, asked: _AskedRule) -> Verdicts:
        """Ask an assertion rule by what is remembered, and forget it if that does not pay."""
        memory, remembered = self.space.memory, asked.remembered
        folds = rows.packing.tables.folds
        calls, visits = remembered.tree.counters.calls, folds.visits
        if remembered.is_learned and asked.joint.pays(len(remembered.split.units), len(rows.rows)):
            found = self._look_up_jointly(rule, rows, asked)
        else:
            found = self._look_up_by_units(rule, rows, asked)
        choice = memory.choice(rule)
        choice.visits += folds.visits - visits
        choice.count(len(found.values), remembered.learned_since(calls))
        if not asked.pays and choice.remembered and choice.never_directly:
            memory.forget(rule)
        return found

    def _look_up_jointly(self, rule: Rule, rows: _Asked, asked: _AskedRule) -> Verdicts:
        """Look up what all units read together, and the units where that is not known."""
        remembered = asked.remembered
        some = _SomeRows(rows, lambda others: self._look_up_by_units(rule, others, asked))
        values = asked.joint.of(rows.columns(self.space.machine.values), some.ask, remembered.read_by_units)
        known = len(values) - some.count
        remembered.tree.counters.add(Counters(evaluations=known, hits=known, lookups=known))
        return some.verdicts(values)

    def _look_up_by_units(self, rule: Rule, rows: _Asked, asked: _AskedRule) -> Verdicts:
        machine, memory = self.space.machine, self.space.memory
        columns = rows.columns(machine.values)
        units = asked.remembered.lookup(
            columns,
            lambda row, choices: memory.run(rule, columns.view(row), choices),
            lambda row: machine.too_many_paths(rule),
        )
        verdicts, bundles = asked.decide(units)
        asked.pays = asked.remembered.pays(units)
        errors = {row: asked.error(int(bundles[row])) for row in np.flatnonzero(verdicts == FAILED).tolist()}
        return Verdicts(verdicts, errors)

    def _alike(self, rule: Rule, rows: _Asked) -> AlikeVerdicts | None:
        """The verdicts of a rule by all that it may read; None: it may read more than slots by their names."""
        packing, key = rows.packing, (rule, rows.packing)
        if rows.former is not packing:
            return None
        reads = self.space.memory.may_read(rule, packing.layout, None if rows.before is None else packing.layout)
        if reads is None:
            return None
        known = self._alike_verdicts.get(key)
        if known is None or known.reads != reads:
            known = self._alike_verdicts[key] = AlikeVerdicts(packing, reads)
        return known

    def _pairs_of(self, rule: Rule, rows: _Asked) -> PairVerdicts | None:
        """What is known of the pairs that a question is about; None: it is about none, or they are seldom known."""
        assertion = self.space.machine.program.assertions[rule.subject]
        if assertion.question is None:
            return None
        reads = self.space.memory.may_read(rule, rows.packing.layout, None)
        if reads is None:
            return None
        number = rule.subject if assertion.of is None else assertion.of
        key = (number, rule.instance, rows.packing)
        known = self._pair_verdicts.get(key)
        if known is None or known.reads != reads:
            known = self._pair_verdicts[key] = PairVerdicts(rows.packing, reads)
        return known if known.pays else None

    def needs_rows(self, rule: Rule, packing: Packing) -> bool:
        """Whether it was found that a rule must be asked row by row."""
        return self._asked.get((rule, packing, packing), ...) is None

    def _new(self, rule: Rule) -> _AskedRule:
        machine = self.space.machine
        return _AskedRule(self.space.memory.tree(rule), machine.most_paths, self.space.sizes, machine.note)
