"""`StepRules`: all rules of one packing in step order, applied to rows of states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial
from math import prod
from typing import Final, NamedTuple

import numpy as np

from checker.liveness.graph import LiveStep, crash_of
from checker.search.columns.admitted import Admitted
from checker.search.columns.capacity import MESSAGE, THREAD
from checker.search.columns.code_tables import NO_PROPERTY, Ints, Mask
from checker.search.columns.effects import NO_KIND, NO_ORDER, Effect, Effects, StepNumbers
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.remembered import Branch, Remembered, Split
from checker.search.columns.sources import DELIVERED, Asked, ElementColumns, StateColumns
from checker.search.columns.space import Space
from checker.search.columns.start_counts import StartCounts
from checker.search.memo.element_choices import CHOSEN, ELSEWHERE, EMPTY
from checker.search.memo.run_choice import RunChoice
from checker.search.memo.trie import Counters, Question, ReadTree
from interpreter.execute.view import View
from interpreter.state.state import Slot, State
from interpreter.state.step import (
    SOME_INDEX,
    Aborted,
    Candidate,
    Event,
    ExecutionPath,
    Failure,
    Outcome,
    Read,
    Rule,
    StepKind,
    StepOrder,
    is_one_of_some,
)

MANY: Final = 1 << 62
_PAIRS: Final = 1 << 20
ALONE: Final = 1 << 13
"""A rule that is not remembered is run in so many rows at a time, or in fewer that make some eight times as many steps:
their states and steps are held."""
"""At most so many rows are made for the elements that rows may choose."""


RunPath = Callable[[Rule, View, tuple[int, ...]], ExecutionPath]


class Running(Enum):
    """How paths that are not remembered are run: to be taken now, ahead (`PathsAhead`), or not at all."""

    NOW = auto()
    AHEAD = auto()
    NEVER = auto()


class LookedUp(NamedTuple):
    """The bundles, per unit, of `rows`, which are rows `which` of those that were asked for.

    `indexes`: there is a row for each element that a row may choose, or for each message that can be delivered there;
    per unit, the place of the element among those that its row can choose, or of the message (`StepRule.placed`). Or
    the paths of units are for single values: their places among those that the row admits.
    `branches`: the first choices of the units. `slots`: where the messages are.
    """

    which: Ints
    rows: Rows
    units: list[Ints]
    indexes: list[Ints] | None
    branches: list[Branch]
    slots: Ints | None = None

    def able(self, branch: Branch, level: int | None) -> Mask:
        """The rows whose elements can be chosen after the first `level` choices of a branch; None: each element."""
        if level is None:
            return np.ones(len(self.which), dtype=np.bool_)
        found = np.zeros(len(self.which), dtype=np.bool_)
        for own, column in zip(self.branches, self.units, strict=True):
            if (own or ())[:level] == (branch or ())[:level]:
                found |= column != 0
        return found


class StepRule:
    """One rule on one packing.

    `thread_slot`: that of the thread that continues. `dropped`: the slots whose threads go with a role crash.
    """

    def __init__(
        self, space: Space, packing: Packing, candidate: Candidate, thread_slot: int | None, tree: ReadTree
    ) -> None:
        self.space = space
        self.packing = packing
        self.candidate = candidate
        self.thread_slot = thread_slot
        self.kind = candidate.rule.kind
        self.dropped: dict[int, tuple[int, ...]] = {}
        self.ran = 0
        """How many steps it has made where it was not remembered, and in how many rows."""
        self.ran_in = 1
        self._may_be_apart = True
        """Whether it is not known that the rule has no other paths for each value of a choice."""
        self._chose: tuple[Slot | None, int | None, bool] | None = None
        """How it chose when it was looked up last (`_choosing`)."""
        self._bases: list[int] = []
        """By level of a choice with a path for each value, more than the largest number of a value (`placed`)."""
        counters = space.machine.limits.counters(candidate.rule) if self.kind is StepKind.START else []
        self.counts = StartCounts(packing, space.machine.values, counters)
        self._begin(tree)

    def _begin(self, tree: ReadTree) -> None:
        space, packing = self.space, self.packing
        shared = space.parked if self.kind in (StepKind.CONTINUE, StepKind.DELIVER) else None
        self.remembered = Remembered(tree, space.machine.most_paths, space.sizes, shared)
        returns_of = space.machine.transitions.returns
        self.effects = Effects(packing, space.machine.values, self.remembered.bundles, self._step_of, returns_of)

    @property
    def _choice(self) -> RunChoice | None:
        """How the rule is run; None for threads and crashes, which are remembered."""
        if self.kind is not StepKind.START:
            return None
        return self.space.memory.choice(self.candidate.rule)

    @property
    def alone(self) -> bool:
        """Whether the rule goes row by row at present, because remembering it does not pay."""
        choice = self._choice
        return choice is not None and not choice.remembered

    @property
    def left(self) -> int:
        """For how many rows, at least one, that is decided."""
        choice = self._choice
        slot = self._chosen_from
        width = 0 if slot is None else 1 + len(self.packing.elements(slot).fields)
        width += self.packing.room.messages if self.kind is StepKind.DELIVER else 0
        most = max(1, _PAIRS // width) if width else MANY
        if choice is None:
            return most
        if not choice.remembered:
            most = min(ALONE, max(1, 8 * ALONE * self.ran_in // max(1, self.ran)))
        return min(choice.left, most)

    @property
    def calls(self) -> int:
        """The interpreter calls so far."""
        return self.remembered.tree.counters.calls

    def look_up(self, rows: Rows) -> list[LookedUp]:
        """The bundles of the rows, whose effects are made if they are new.

        A rule that chooses among the elements of a set is looked up once for each row, and once for each element; that
        of messages once for each of them.
        """
        if self.kind is StepKind.DELIVER:
            return [self._deliveries(rows)]
        choices, rule = self.space.memory.runner.choices, self.candidate.rule
        while True:
            slot, level, apart = self._choosing()
            pairs = None if slot is None else self._pairs(slot, rows, level)
            units = self._bundles(rows, self.remembered.split, partial(self._without, rows, pairs, level))
            if (slot, apart) != (choices.sets.get(rule), rule in choices.apart):
                # The rule has begun to choose among elements or values, or ended it, and has forgotten the rest.
                self._chose = None
                continue
            found = [LookedUp(np.arange(len(rows)), rows, units, None, self._branches)]
            found += [] if pairs is None else [pairs]
            if not self._must_be_whole(found, level):
                return self._in_place(found)
            # The next lookup sees the alternatives as they are written.
            choices.give_up(rule)
            self.remembered.forget()

    def ahead(self, rows: Rows) -> list[LookedUp] | None:
        """As `look_up`, but nothing counts as executed: `UNKNOWN` where no bundle is found so; None: everywhere."""
        if self.kind is StepKind.DELIVER:
            return [self._deliveries(rows, Running.AHEAD)]
        choices, rule = self.space.memory.runner.choices, self.candidate.rule
        slot, level, _ = self._choosing()
        pairs = None if slot is None else self._pairs(slot, rows, level, Running.NEVER)
        how = Running.AHEAD if self._runs_ahead else Running.NEVER
        units = self._bundles(rows, self.remembered.split, partial(self._without, rows, pairs, level), how)
        if slot != choices.sets.get(rule):
            # It has begun to choose among elements.
            return None
        found = [LookedUp(np.arange(len(rows)), rows, units, None, self._branches)]
        found += [] if pairs is None else [pairs]
        return None if self._must_be_whole(found, level) else self._in_place(found)

    def _choosing(self) -> tuple[Slot | None, int | None, bool]:
        """How the rule chooses now: among the elements in a slot, after so many choices; with a path for each value.

        In rows of another packing it may have begun or given up to do so: then no bundle from before is of use.
        """
        choices, rule = self.space.memory.runner.choices, self.candidate.rule
        now = choices.sets.get(rule), choices.levels.get(rule), rule in choices.apart
        if self._chose not in (now, None):
            self.remembered.forget()
        self._chose = now
        return now

    @property
    def _branches(self) -> list[Branch]:
        """The first choices of the units of paths that choose no element."""
        return [unit.branch for unit in self.remembered.split.units]

    @property
    def _apart(self) -> set[int]:
        """How many choices come before those with a path for each value."""
        return self.space.memory.runner.choices.apart.get(self.candidate.rule) or set()

    def _in_place(self, found: list[LookedUp]) -> list[LookedUp]:
        """What was looked up, with the place of each value that was chosen among those that its row admits."""
        levels = sorted(self._apart)
        bases = [max(self.remembered.split.width(i), self.remembered.by_element.width(i)) for i in levels]
        if bases != self._bases:
            # A rule that had paths for each value may have them no more, and choose among elements.
            self._bases = bases
            self.effects.forget_places()
        if not levels:
            return found
        admitted = Admitted(len(found[0].rows), self._apart)
        for one in found:
            admitted.add(one.branches, one.units, None if one is found[0] else one.which)
        none = self.remembered.bundles.none_admitted
        placed: list[LookedUp] = []
        for one in found:
            indexes = [admitted.numbers(branch, bases) for branch in one.branches]
            units = one.units
            if one is found[0]:
                units = [admitted.without(*unit, none) for unit in zip(one.branches, one.units, strict=True)]
            else:
                assert one.indexes is not None
                own = zip(one.indexes, indexes, strict=True)
                indexes = [places * prod(bases) + numbers.take(one.which) for places, numbers in own]
            placed.append(one._replace(units=units, indexes=indexes))
        return placed

    def _deliveries(self, rows: Rows, how: Running = Running.NOW) -> LookedUp:
        """The bundles of each row with each message that can be delivered there."""
        waiting = self.space.waiting_messages(self.packing, rows)
        pairs = rows.take(waiting.which)
        units = self._bundles(pairs, self.remembered.split, lambda branch: waiting.ids, how)
        places = waiting.indexes * self.space.channels + waiting.channels
        return LookedUp(waiting.which, pairs, units, [places] * len(units), [], waiting.slots)

    @property
    def _runs_ahead(self) -> bool:
        """Whether new paths are run ahead. Atomic actions are run directly instead."""
        if self.kind is not StepKind.START:
            return True
        rule, memory = self.candidate.rule, self.space.memory
        by_choice = rule in memory.runner.choices.sets or rule in memory.runner.choices.apart
        serial = self.space.machine.program.routines[rule.subject].body.flow == "serial"
        return serial and not by_choice and not memory.is_recorded(rule)

    def _pairs(self, slot: Slot, rows: Rows, level: int | None, how: Running = Running.NOW) -> LookedUp:
        """The bundles of each row with each element that the set in the slot has there.

        `level`: how many choices come before that of an element, if not every element can be chosen.
        """
        which, ids = self.packing.elements(slot).pairs(rows)
        pairs = rows.take(which)
        units = self._bundles(pairs, self.remembered.by_element, lambda branch: ids, how)
        branches = [unit.branch for unit in self.remembered.by_element.units]
        found = LookedUp(which, pairs, units, None, branches)
        first = np.searchsorted(which, which)
        indexes: list[Ints] = []
        for branch in branches:
            able = found.able(branch, level)
            before: Ints = np.cumsum(able) - able
            indexes.append(before - before.take(first))
        return found._replace(indexes=indexes)

    def _without(self, rows: Rows, pairs: LookedUp | None, level: int | None, branch: Branch) -> Ints:
        """For paths that choose no element, by their first choices: whether there is any that can be chosen."""
        # A rule that has begun to choose among elements just now is looked up again, with its pairs. Until then no path
        # may go on as if there were none: what it executes would count as executed.
        begun = pairs is None and self._chosen_from is not None
        found = np.full(len(rows), ELSEWHERE if begun else EMPTY, dtype=np.int64)
        if pairs is not None:
            found[pairs.which[pairs.able(branch, level)]] = ELSEWHERE
        return found

    @property
    def _chosen_from(self) -> Slot | None:
        """The slot of the set among whose elements the rule chooses."""
        return self.space.memory.runner.choices.sets.get(self.candidate.rule)

    def _must_be_whole(self, found: list[LookedUp], level: int | None) -> bool:
        """Whether the paths for different elements matter to each other.

        So it is if one is the last path of its step, if a state has too many, or if it is not known which choices came
        before that of an element or value that not every state admits.
        """
        bundles, apart = self.remembered.bundles, self._apart
        if len(found) == 1 and not apart:
            return False
        if any(bundles.ending(column) for one in found for column in one.units):
            return True
        splits = (self.remembered.split, self.remembered.by_element)[: len(found)]
        known = max(level or 0, max(apart, default=-1) + 1)
        if known and not all(split.distinguishes(known) for split in splits):
            return True
        most = 1
        if len(found) == 2:
            most += int(np.bincount(found[1].which).max(initial=0))
        return most * len(found[-1].units) * bundles.longest > bundles.most

    def _bundles(
        self, rows: Rows, split: Split, elements: Callable[[Branch], Ints], how: Running = Running.NOW
    ) -> list[Ints]:
        """The bundles of the rows, per unit of a split.

        `elements`: what rows choose there, `EMPTY` or `ELSEWHERE`; or the messages that are delivered. `how`: where
        nothing is run, bundles that are not remembered are `UNKNOWN`.
        """
        self.counts.learn(rows)
        states = StateColumns(self.packing, rows, self.space.machine.values)
        by_elements = self.kind is StepKind.START and self.space.memory.divider.any_by_elements
        asked = DELIVERED if self.kind is StepKind.DELIVER else CHOSEN if by_elements else None
        run = self.space.ahead.run if how is Running.AHEAD else self.space.memory.run
        plain = Asked(states, partial(self._run, run, states))

        def source(branch: Branch) -> Asked:
            if asked is None:
                return plain
            columns = ElementColumns(states, elements(branch), asked)
            return Asked(columns, partial(self._run, run, columns))

        if how is Running.NEVER:
            found = self.remembered.known_each(split, source)
            self.effects.learn(rows, [np.maximum(column, 0) for column in found])
            return found

        def too_many(row: int) -> Failure:
            if self.kind is StepKind.DELIVER:
                rule = Rule(StepKind.DELIVER, int(elements(None)[row]))
            else:
                rule = self.rule_in(self.packing.unpack(rows, row))
            return self.space.machine.too_many_paths(rule)

        found = self.remembered.lookup_each(split, source, too_many)
        if how is Running.NOW and self.space.ahead:
            self.space.ahead.take(self.remembered.results_in(found))
        self.effects.learn(rows, found)
        return found

    def weigh(self, found: list[LookedUp], calls: int) -> None:
        """Choose anew how the rule is run, by what was looked up, before which there were so many `calls`."""
        choice = self._choice
        if choice is not None:
            columns = [column for one in found for column in one.units]
            steps = sum(int(self.effects.length.take(column).sum()) for column in columns)
            choice.count(len(found[0].rows), self.remembered.learned_since(calls), steps)
            if choice.directly:
                return
            if self._may_be_apart and self._walks_too_much():
                self._may_be_apart = self.space.memory.try_apart(self.candidate.rule)
                if self._may_be_apart:
                    self.remembered.forget()
                    return
        pays = [self.remembered.pays(one.units) for one in found if len(one.which)]
        if choice is not None and choice.never_directly and not all(pays):
            self.space.memory.forget(self.candidate.rule)
            if self.space.memory.choice(self.candidate.rule).forgotten:
                self._begin(ReadTree(Counters()))

    def _walks_too_much(self) -> bool:
        """Whether the rule is seldom found in tables, and has been walked for longer than it takes to learn it anew."""
        counters = self.remembered.tree.counters
        return 2 * counters.misses > counters.lookups and counters.misses > self.space.sizes.walks * counters.calls

    def read_by_all(self) -> frozenset[Slot]:
        """The slots of the packing that all execution paths read, as far as is known."""
        return self.remembered.read_by_all(self.packing, self.space.machine.values)

    def placed(self, forks: tuple[int, ...], place: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The candidate and the choices of a path as they are in the step order of a state.

        `place`: where the element that it chose stands among the alternatives; or the message among those that wait, by
        its index in its channel and that.
        """
        if self.kind is StepKind.DELIVER:
            index, channel = divmod(place, self.space.channels)
            return (*self.candidate.order, channel, index), forks
        if all(taken >= 0 for taken in forks):
            return self.candidate.order, forks
        numbers: dict[int, int] = {}
        for level, base in zip(sorted(self._apart, reverse=True), reversed(self._bases), strict=True):
            place, numbers[level] = divmod(place, base)
        known = [numbers[i] if is_one_of_some(taken) else taken for i, taken in enumerate(forks)]
        return self.candidate.order, tuple([place if taken == SOME_INDEX else taken for taken in known])

    def _step_of(self, outcome: Outcome, twin: bool, place: int | None) -> StepNumbers:
        """The numbers of a step, or of its twin; none if they depend on a `place` that is not given."""
        if place is None:
            if self.kind is StepKind.DELIVER or any(taken <= SOME_INDEX for taken in outcome.forks):
                return NO_ORDER, NO_KIND
            place = 0
        order = StepOrder(*self.placed(outcome.forks, place), int(twin))
        return self.space.number(order), self._live(outcome, order)

    def _live(self, outcome: Outcome, order: StepOrder) -> int:
        """The kind of step that an outcome or its twin is for liveness; NO_KIND: a crash that it does not see."""
        if order.crashes:
            if not self.space.expander.task.crash_edges:
                return NO_KIND
            return self.space.edges.kind(crash_of(order, self._labels(outcome)))
        rule = self._rule_of(outcome)
        return self.space.edges.kind(LiveStep(order, self.space.fair_name(rule), outcome.fair, self._labels(outcome)))

    def _rule_of(self, outcome: Outcome) -> Rule:
        return self.candidate.rule if self.thread_slot is None else self.space.rules[id(outcome)]

    def candidate_of(self, outcome: Outcome, order: StepOrder) -> Candidate:
        """The candidate of a state that the rule, which may stand for several, was looked up for."""
        if self.kind is StepKind.DELIVER:
            _, channel, index = order.candidate
            return Candidate(order.candidate, f"channel-{channel}-message-{index}", self.space.rules[id(outcome)])
        return self.candidate._replace(rule=self._rule_of(outcome))

    def _labels(self, outcome: Outcome) -> tuple[str, ...]:
        return self.space.expander.labels(self._rule_of(outcome), outcome)

    def hidden_kind(self, rule: Rule) -> int:
        """The kind of an available step that is not taken; NO_KIND if nothing ever forces it."""
        name = self.space.fair_name(rule)
        return (
            NO_KIND
            if name is None
            else self.space.edges.kind(LiveStep(StepOrder(self.candidate.order, (), 0), name, ()))
        )

    def dropped_by(self, effect: int) -> tuple[int, ...]:
        """The slots whose threads are lost with this effect of a role crash."""
        return self.dropped[id(self.effects.effects[effect].outcome)]

    def rule_in(self, state: State, message: int = 0) -> Rule:
        """The rule that this stands for in a state. `message`: the slot of the one that is delivered."""
        if self.kind is StepKind.DELIVER:
            return Rule(StepKind.DELIVER, state.messages[message])
        if self.thread_slot is None:
            return self.candidate.rule
        return Rule(StepKind.CONTINUE, state.threads[self.thread_slot])

    def _run(
        self, run: RunPath, columns: StateColumns | ElementColumns, row: int, choices: tuple[int, ...]
    ) -> ExecutionPath:
        if self.kind is StepKind.CRASH_ROLE:
            return self._crash(columns.view(row).whole())
        view = columns.view(row)
        if self.kind is StepKind.START:
            return run(self.candidate.rule, view, choices)
        slot = DELIVERED if self.thread_slot is None else (THREAD, self.thread_slot)
        rule = Rule(self.kind, view.read(slot))
        path = run(rule, view, choices)
        self.space.rules.update((id(result), rule) for result in path.results)
        return replace(path, events=(Read(slot, rule.subject), *path.events))

    def _crash(self, state: State) -> ExecutionPath:
        """A role crash as an execution path: it reads the threads and the reset values."""
        transitions = self.space.machine.transitions
        instance = self.candidate.rule.instance
        assert instance is not None
        events: list[Event] = []
        for index in range(self.packing.threads):
            thread = state.threads[index] if index < len(state.threads) else -1
            events.append(Read(("thread", index), thread))
        if any(instance in transitions.waiting_instances(thread) for thread in state.threads):
            return ExecutionPath(
                tuple(events), Aborted("waits for a reply", self.space.machine.program.routines[0].span)
            )
        writes: list[tuple[Slot, int]] = []
        for slot, reset in transitions.resets(state.layout, instance):
            events.append(Read(reset, state.get(reset)))
            writes.append((slot, state.get(reset)))
        outcome = Outcome(tuple(writes), None, (), (), (), False, (), (), (), ())
        dropped = [i for i, thread in enumerate(state.threads) if transitions.top_instance(thread) == instance]
        self.dropped[id(outcome)] = tuple(dropped)
        return ExecutionPath(tuple(events), outcome)

    def apply_slowly(self, state: State, effect: Effect, message: int) -> State | None:
        """The target of an effect, computed by the machine. `message`: as in `rule_in`."""
        rule = self.rule_in(state, message)
        if rule.kind is StepKind.CRASH_ROLE:
            assert rule.instance is not None
            return self.space.machine.crash_role(state, rule.instance)
        return self.space.memory.apply(state, rule, effect.outcome, effect.twin)


@dataclass(slots=True)
class _Limit:
    """A limit of an action: on a count in a slot, or on the number of threads of some roots."""

    slot: Slot | None
    counter: str
    most: int
    key: str = ""
    column: Ints = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self.column = NO_PROPERTY

    @property
    def option(self) -> str:
        return "max_concurrent_actions" if self.slot is None else "max_actions"


class StepRules:
    """The rules of one packing. They are made anew when the number of thread slots changes."""

    def __init__(self, space: Space, packing: Packing, crash_counters: Counters) -> None:
        self.space = space
        self.packing = packing
        self.rules: list[StepRule] = []
        memory = space.memory
        for index in range(packing.threads):
            candidate = Candidate((0, index), f"thread-{index}", Rule(StepKind.CONTINUE, -1))
            tree = ReadTree(memory.counters, space.restarts)
            # Trees below the root are shared by thread (`Space.parked`).
            tree.root = Question((THREAD, index))
            self.rules.append(StepRule(space, packing, candidate, index, tree))
        if space.channels:
            tree = ReadTree(memory.counters, space.restarts)
            tree.root = Question(DELIVERED)
            candidate = Candidate((1,), "messages", Rule(StepKind.DELIVER, -1))
            self.rules.append(StepRule(space, packing, candidate, None, tree))
        for candidate in space.machine.possible.starts_in(packing.layout):
            self.rules.append(StepRule(space, packing, candidate, None, memory.tree(candidate.rule)))
        if space.machine.program.options.crash_on_yield:
            for candidate in space.machine.possible.role_crashes_in(packing.layout):
                self.rules.append(StepRule(space, packing, candidate, None, ReadTree(crash_counters)))
        self._limits: dict[Rule, list[_Limit]] = {}

    def __iter__(self) -> Iterator[StepRule]:
        return iter(self.rules)

    def allowed(self, rule: StepRule, rows: Rows, cut: Mask | None) -> Mask | None:
        """Which rows the rule may step in; None: all. `cut` rows start no action (None: do not ask)."""
        if rule.kind is StepKind.CONTINUE:
            assert rule.thread_slot is not None
            codes = self.packing.codes(rows, ("thread", rule.thread_slot))
            found = np.asarray(codes != 0)
            if rule.thread_slot:
                # Equal threads make one step.
                found &= codes != self.packing.codes(rows, ("thread", rule.thread_slot - 1))
            return found
        if rule.kind is StepKind.DELIVER:
            none = not self.packing.room.messages
            return np.zeros(len(rows), dtype=np.bool_) if none else self.packing.codes(rows, (MESSAGE, 0)) != 0
        if rule.kind is not StepKind.START:
            return None
        most = self.space.machine.program.options.max_concurrent_actions
        allowed: Mask | None = None
        if most <= self.packing.threads:
            allowed = np.asarray(self.packing.codes(rows, ("thread", most - 1)) == 0)
        if cut is not None and cut.any():
            allowed = ~cut if allowed is None else allowed & ~cut
        otherwise = allowed
        for limit in self._limits_of(rule.candidate.rule):
            below = self._below(limit, rule.candidate.rule, rows)
            if not (below if otherwise is None else below | ~otherwise).all():
                self.space.machine.limits.note(limit.key or limit.counter, limit.option)
            allowed = below if allowed is None else allowed & below
        return allowed

    def _limits_of(self, rule: Rule) -> list[_Limit]:
        known = self._limits.get(rule)
        if known is None:
            limits = self.space.machine.limits
            known = [_Limit(("count", counter), counter, most) for counter, most in limits.limited(rule)]
            known += [_Limit(None, "", most, key) for key, most in limits.concurrency(rule)]
            self._limits[rule] = known
        return known

    def _below(self, limit: _Limit, rule: Rule, rows: Rows) -> Mask:
        machine = self.space.machine
        if limit.slot is not None:
            if limit.slot not in self.packing.fields:
                return np.full(len(rows), limit.most > 0, dtype=np.bool_)
            table = self.space.tables.of(limit.slot)
            limit.column = table.property(machine.values.payload, limit.column)
            return np.asarray(limit.column[self.packing.codes(rows, limit.slot)] < limit.most)
        shares, root = machine.limits.shares, machine.transitions.root
        limit.column = self.space.tables.threads.property(lambda t: shares(limit.key, rule, t, root), limit.column)
        running = sum(limit.column[self.packing.codes(rows, ("thread", i))] for i in range(self.packing.threads))
        return np.asarray(running < limit.most)
