"""Execution paths that are run to be remembered, so that what is remembered depends on as little as possible.

A path is cut at *restarts*, after which the answers before do not matter; loops of assertions are asked turn by turn;
and a path that is known to come to a restart begins there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import Final, NamedTuple

from checker.search.memo.division import Divider, root_of
from checker.search.memo.element_choices import (
    CHOSEN,
    ELSEWHERE,
    EMPTY,
    MOST_APART,
    NOWHERE,
    BeginAnew,
    ElementChoices,
)
from checker.search.memo.fixed_turns import FixedTurns
from checker.search.memo.folds import Folds
from checker.search.memo.independence import independent_loops
from checker.search.memo.open_containers import OpenContainer, asked_by_elements
from checker.search.memo.open_generics import give_out
from checker.search.memo.orders import orders_in
from checker.search.memo.parts_world import PartsWorld
from checker.search.memo.path_folds import PathFolds
from fizz import Span
from fizz.base.light import dataclass
from fizz.syntax.ast import OF_STEPS
from interpreter import Machine
from interpreter.compile.program import ForLoop
from interpreter.execute.code import Code
from interpreter.execute.execution import Execution
from interpreter.execute.frames import Frame, ScopeState, park_thread, resume_frames
from interpreter.execute.observer import Undecided
from interpreter.execute.reach import changeable, changed, members, reachable
from interpreter.execute.settlement import Settlement
from interpreter.execute.view import Recorder, View
from interpreter.state.domains import Segment
from interpreter.state.state import Slot
from interpreter.state.step import Abort, Cut, Event, ExecutionPath, FairChoice, Fork, ModelError, Rule, StepKind
from interpreter.values import Container, FunctionValue, ModuleValue, StructValue
from interpreter.values.budget import METER, ShareSpent
from interpreter.values.folding import ElementFilter
from interpreter.values.freeze import freeze
from interpreter.values.intern import Interner
from interpreter.values.problem import ModelMistake

MAX_TURNS: Final = 4_096
"""Turns of independent loops in each other that are asked one by one; of more, the answer as a whole is remembered."""
MAX_PASSED: Final = 1_000
"""After so many statements a path has no more restarts: to keep what it has passed would cost more."""
MOST_KEPT: Final = 10_000
"""A thread whose values have more parts, written out, is not restarted: writing them would cost more."""
NOT_HERE: Final = "another path has the result"
_HOLDING: Final = (Container, tuple, StructValue, Segment, FunctionValue, ModuleValue)
"""What holds other values, or may not be kept."""


class RestartMark(NamedTuple):
    """All that a path depends on after a restart, or that its result has from before.

    `thread`: the id of the thread, with its position and values. `chosen`: number and label of each choice, `met`:
    the parts of expressions that were evaluated; the others as in `Outcome`. `enabled`: whether it is a step already.
    `asked`: whether it has chosen by the slot `CHOSEN`, if only that there is nothing to choose.
    """

    thread: int
    chosen: tuple[tuple[int, str], ...]
    labels: tuple[str, ...]
    lines: tuple[Span, ...]
    met: frozenset[Span]
    fair: tuple[FairChoice, ...]
    enabled: bool
    asked: bool


@dataclass(frozen=True, slots=True)
class CutPoint(Cut):
    """A point from which a path depends on nothing that was asked before, but for what its mark says.

    Paths with equal marks go on alike; questions are asked anew.
    """

    mark: Hashable


@dataclass(frozen=True, slots=True)
class Restart(CutPoint):
    """A cut point of a path of the interpreter. `spent`: what was charged and made so far; None if no path can be begun
    here."""

    mark: RestartMark
    spent: tuple[int, int] | None = None


class MarkedFork(Fork):
    """A choice after which a cut point comes. `marks`: of each alternative that of its cut point."""

    marks: Sequence[Hashable] = ()


@dataclass(frozen=True, slots=True)
class RecordedPath(ExecutionPath):
    """A path by a function of Python. `siblings`: the others of the same run; they have its events before they part."""

    siblings: Sequence[ExecutionPath] = ()


class _Mattered(Exception):
    """A container that the thread kept over a restart was changed or stored."""


class RememberingRunner:
    """Runs the execution paths of one machine for a memo, which remembers them by their answers.

    `without_containers`: rules whose paths keep no containers over restarts. `costly`: rules with paths that cost so
    much that a step put together from parts might be too costly (R20, R24) where no part is: each path is run as a
    whole. Adding a rule to one of them makes all that is remembered of the rule invalid.
    """

    def __init__(self, machine: Machine, divider: Divider) -> None:
        self._machine = machine
        self._divider = divider
        self.without_containers: set[Rule] = set()
        self.costly: set[Rule] = set()
        self.choices = ElementChoices()
        self.folds = Folds(machine.values, machine.note_lines)
        self.fixed = FixedTurns(machine.program)

    def run(
        self,
        rule: Rule,
        view: View,
        choices: tuple[int, ...] = (),
        restart: Restart | None = None,
        noted: bool = True,
    ) -> ExecutionPath:
        """One path of a rule: the given choices, and the first alternative at each choice beyond them.

        It may have restarts. Loops of assertions whose turns are independent are asked turn by turn, as paths of their
        own; the verdict is that of the first path, in the order of choices, that has one. `restart`: begin after it,
        which the path is known to pass; the rule is not costly, and starts an action or is an assertion. `noted`: the
        statements count as executed. Raises `BeginAnew` if all that is remembered of the rule must be forgotten, at
        most twice for a rule.
        """
        machine = self._machine
        if machine.program.choice_loops.roots and machine.together(rule):
            return machine.all_paths(rule, view, ByParts(self._divider), noted)
        if rule in self.costly:
            return self.whole(rule, view, choices, noted)
        may_keep = rule.kind in (StepKind.START, StepKind.ASSERT) and rule not in self.without_containers
        loops = self._loops if rule.kind is StepKind.ASSERT else frozenset()
        observer = Remembering(
            machine, self._divider, rule, may_keep, restart, loops, self.choices, self.folds, self.fixed
        )
        try:
            path = machine.execute(rule, view, choices, noted, observer)
            return replace(path, result=NOWHERE) if observer.elsewhere else path
        except _Mattered:
            # The paths before are right: for them it did not matter.
            self.without_containers.add(rule)
        except ShareSpent:
            self.costly.add(rule)
            # Paths that are run as a whole choose among all elements, also where one is asked for.
            self.choices.give_up(rule)
        raise BeginAnew

    @cached_property
    def _loops(self) -> frozenset[tuple[int, int]]:
        """The loops whose turns are independent."""
        return independent_loops(self._machine.program)

    def whole(self, rule: Rule, view: View, choices: tuple[int, ...] = (), noted: bool = True) -> ExecutionPath:
        """One path as the language says, but for its containers, which are read part by part."""
        return self._machine.execute(rule, view, choices, noted, ByParts(self._divider))


class ByParts:
    """The observer of execution paths that read containers part by part, and are run as the language says otherwise."""

    shares = False

    def __init__(self, divider: Divider) -> None:
        self._divider = divider

    def world(self, interner: Interner, recorder: Recorder, code: Code) -> PartsWorld:
        return PartsWorld(interner, recorder, code, self._divider, self.shares)

    def begin(self, run: Execution) -> None:
        """The path begins at its first statement."""

    def before_statement(self, run: Execution) -> None:
        """Nothing is forgotten."""

    def after_choice(self, run: Execution) -> None:
        """Nothing is forgotten."""

    def alternatives(
        self, run: Execution, values: object, word: str, admitted: ElementFilter | None = None
    ) -> Sequence[object] | None:
        """Choices are made as they are written."""
        return None

    def has_paths_for_values(self, run: Execution) -> bool:
        """Choices are made as they are written."""
        return False

    def one_admitted(
        self, run: Execution, values: Sequence[object], word: str, admitted: ElementFilter
    ) -> Sequence[object] | None:
        """Choices are made as they are written."""
        return None

    def take_turn(self, run: Execution, loop: ForLoop, rest: Sequence[object]) -> bool | None:
        """Loops are run as they are written."""
        return None

    def no_turn_left(self, state: ScopeState) -> None:
        """That is the end of the loop."""

    def settled(self, settlement: Settlement) -> None:
        """Nothing was forgotten that could matter."""

    def end(self, run: Execution) -> None:
        """Let the divider know which containers were opened."""
        assert isinstance(run.world, PartsWorld)
        run.world.note_opened()


class Remembering(ByParts):
    """The observer of one path that is run to be remembered.

    `may_keep`: whether a restart may leave the thread with containers of slots that are forgotten. `loops`: routines
    and scopes of the loops that may be asked turn by turn.
    """

    shares = True

    def __init__(
        self,
        machine: Machine,
        divider: Divider,
        rule: Rule,
        may_keep: bool,
        restart: Restart | None,
        loops: frozenset[tuple[int, int]],
        choices: ElementChoices,
        folds: Folds,
        fixed: FixedTurns,
    ) -> None:
        super().__init__(divider)
        self._fixed = fixed
        self._loops = loops
        self._may_keep = may_keep
        self._rule = rule
        self._choices = choices
        self._folds = folds
        self._met = machine.parts.met
        self._chosen = False
        """Whether an element was chosen by its slot."""
        self.elsewhere = False
        """Whether this path has no result, because another one has it."""
        self._restart = restart
        # Values of the states on both sides of a step cannot be written in a mark.
        asserts = rule.kind is StepKind.ASSERT
        self._judges = asserts and machine.program.assertions[rule.subject].kind not in OF_STEPS
        self._parts = machine.parts if asserts else None
        self._held: list[Container] = []
        """Containers that the thread kept over a restart: the slots they came from may be read anew, so they may not be
        changed or stored."""
        self._held_from: set[Slot] = set()
        """The slots they came from: read anew, what is in them is another object, which may not be changed either."""
        self._shares = 1
        """Into how many paths the step was cut, at most, by loops that are asked turn by turn."""
        self._turns: list[tuple[ScopeState, int]] = []
        """The nested loops of which this path takes one turn alone, and how many turns they have."""

    def begin(self, run: Execution) -> None:
        """Set the state of a path after the restart."""
        self._folds.over_lists = self._fixed.asked = False
        asks_fixed = self._rule in self._fixed.rules
        if (asks_fixed or self._divider.answers_folds) and self._rule.kind in (StepKind.START, StepKind.ASSERT):
            assert isinstance(run.world, PartsWorld)
            folds = PathFolds(self._folds, _AskedSoFar(run, self._rule, self._restart), self._met, asks_fixed)
            for world in run.world.together:
                world.folds = folds
        restart = self._restart
        if restart is None:
            return
        assert restart.spent is not None
        mark = restart.mark
        run.frames[:] = resume_frames(mark.thread, run.code.program.routines, run.world)
        run.resume(mark.chosen, mark.labels, mark.lines, mark.fair, mark.enabled)
        self._chosen = mark.asked
        if self._parts is not None:
            self._parts.met |= mark.met
        METER.resume(restart.spent)

    def before_statement(self, run: Execution) -> None:
        """Forget the answers to the statements before."""
        if self._judges:
            self.after_choice(run)

    def after_choice(self, run: Execution) -> None:
        """Forget the answers so far if only what the thread holds depends on them."""
        world = run.world
        assert isinstance(world, PartsWorld)
        if run.recorder.anew or len(run.lines) > MAX_PASSED:
            return
        if not ((run.yields or self._judges) and _untouched(world)):
            return
        if not self._keep(run.frames, world):
            return
        try:
            thread = park_thread(run.frames, _Unshared(world.interner), world.interner)
        except ModelMistake:
            return  # too deep to be written; if it still is at the end of the step, that is an error
        chosen = tuple((fork.taken, fork.label) for fork in run.forks)
        met = frozenset[Span]() if self._parts is None else frozenset(self._parts.met)
        mark = RestartMark(
            thread, chosen, tuple(run.labels), tuple(run.lines), met, tuple(run.fair), run.enabled, self._chosen
        )
        # Containers would be thawed as other objects, and turns are not written.
        whole = not (self._held or self._turns)
        run.recorder.forget(Restart(mark, METER.spent if whole else None))
        world.forget()

    def alternatives(
        self, run: Execution, values: object, word: str, admitted: ElementFilter | None = None
    ) -> Sequence[object] | None:
        """Choose the element in the slot `CHOSEN`, if this is the set whose elements are asked for there."""
        slot = asked_by_elements(values)
        if slot is None or self._chosen or not self._divider.by_elements(slot) or run.headers is not None:
            return None
        level = None if admitted is None else len(run.forks)
        if self._rule.kind is not StepKind.START or not self._choices.admits(self._rule, slot, level):
            return None
        world = run.world
        assert isinstance(world, PartsWorld)
        self._chosen = True
        number = run.recorder.read(CHOSEN)
        # Names of all alternatives are charged, of which there may be as many as elements were ever met.
        METER.charge(self._divider.spread)
        if number == EMPTY:
            return ()
        self.elsewhere = number == ELSEWHERE
        value = None if self.elsewhere else give_out(values, world.thaw(number))
        if admitted is not None and not self.elsewhere:
            spent, made = METER.spent
            self.elsewhere = not self._admits(run, value, admitted)
            others = len(self._divider.met.get(slot, ()))
            METER.charge(others * (METER.spent[0] - spent))
            METER.make(others * (METER.spent[1] - made))
        if self.elsewhere:
            raise Abort(NOT_HERE)
        label = word + world.interner.text(number)
        self._choices.name(self._rule, label, number)
        run.take(label)
        return (value,)

    def has_paths_for_values(self, run: Execution) -> bool:
        """Whether the rule has a path for each value of its choices with a condition."""
        return self._rule in self._choices.apart and run.headers is None

    def one_admitted(
        self, run: Execution, values: Sequence[object], word: str, admitted: ElementFilter
    ) -> Sequence[object] | None:
        """Ask for one of the values, if the rule has a path for each."""
        rule, choices = self._rule, self._choices
        if len(values) > MOST_APART:
            choices.end_apart(rule)
            raise BeginAnew
        if len(values) < 2:
            return None
        labels = run.labels_of(values, word)
        if labels is None:
            return None
        choices.apart[rule].add(len(run.forks))
        # One part for each value, one for the choice itself.
        self._shares *= len(values) + 1
        taken = run.take_one(labels)
        if not taken:
            return ()
        value = values[taken - 1]
        if not self._admits(run, value, admitted):
            self.elsewhere = True
            raise Abort(NOT_HERE)
        return (value,)

    def _admits(self, run: Execution, value: object, admitted: ElementFilter) -> bool:
        """Whether a value meets the condition of a choice, which is asked for it alone.

        Raises `BeginAnew` if that fails, and so does the choice; or if what it does matters to other values.
        """
        asked, fold, ids_of = _AskedSoFar(run, self._rule, self._restart), admitted.fine, self._folds.ids_of
        # That it changes once more what was changed before would not be seen.
        alone, depth = not (fold.calls and asked.has_changed), METER.depth
        try:
            before = (asked.changes(), ids_of(fold.held())) if fold.calls else None
            fits = admitted.admits(value)
            alone = alone and not (fold.calls and before != (asked.changes(), ids_of(fold.held())))
        except (ModelMistake, ModelError):
            METER.depth = depth
            alone = fits = False
        if not alone:
            self._choices.give_up(self._rule)
            raise BeginAnew
        return fits

    def take_turn(self, run: Execution, loop: ForLoop, rest: Sequence[object]) -> bool | None:
        """Enter a loop of independent turns for one of them alone, or go on after it, by a choice."""
        if (run.frames[-1].routine.number, loop.number) not in self._loops:
            return None
        count = len(rest)
        if not count or len(run.frames) > 1 or count * prod(turns for _, turns in self._turns) > MAX_TURNS:
            return None
        # One part for each turn, one for what comes after the loop, one for the loop itself.
        self._shares *= count + 2
        turn = run.choose([f"For:{i}" for i in range(count)] + ["For:-"], True)
        if turn == count:
            return run.finish()
        state = ScopeState(loop, rest=deque([rest[turn]]))
        self._turns.append((state, count))
        run.frames[-1].scopes.append(state)
        return False

    def no_turn_left(self, state: ScopeState) -> None:
        """End the path that takes one turn."""
        if any(state is alone for alone, _ in self._turns):
            raise Undecided

    def settled(self, settlement: Settlement) -> None:
        """Raise if a container that was kept is part of what the step leaves."""
        if any(map(settlement.reaches, self._held)):
            raise _Mattered

    def end(self, run: Execution) -> None:
        """Raise if a container that was kept has been changed, or the path is costly.

        No step that is put together from such paths may be too costly. What is spent before a restart and after it may
        come from two paths: each has half of the budget. Turns that were asked one by one have a part of it each.
        """
        if not (self._chosen or self.elsewhere) and self._rule in self._choices.sets:
            # Of the paths that choose no element there is one for all elements together.
            self.elsewhere = run.recorder.read(CHOSEN) > ELSEWHERE
        slots = run.world.slots
        if any(one.changed for one in self._held) or any(changed(slots.get(slot)) for slot in self._held_from):
            raise _Mattered
        count, made = METER.spent
        budget = METER.budget
        if 2 * count * self._shares > budget.charges or 2 * made * self._shares > budget.held:
            raise ShareSpent
        assert isinstance(run.world, PartsWorld)
        self._folds.over_lists = any(world.was_asked_by_turns() for world in run.world.together)
        self._fixed.asked = any(world.asked_fixed for world in run.world.together)
        super().end(run)

    def _keep(self, frames: list[Frame], world: PartsWorld) -> bool:
        """Let a thread keep its values over a restart; False if it cannot, or may not because they are containers."""
        if any(container.changed for container in self._held):
            return False  # the path ends without a result: that it has to must not be forgotten here
        if not any(isinstance(value, _HOLDING) for frame in frames for value in frame.values()):
            return True
        if not all(map(self._is_canonical, orders_in(value for frame in frames for value in frame.values()))):
            return False  # the mark would not say in which order it is
        opened = {id(container) for container, shape in world.opened.values() if not shape.whole}
        kept: list[Container] = []
        pending = [value for frame in frames for value in frame.values()]
        met = 0
        while pending:
            value = pending.pop()
            met += 1
            if met > MOST_KEPT or isinstance(value, FunctionValue | ModuleValue) or id(value) in opened:
                return False
            if isinstance(value, Container):
                if not self._may_keep:
                    return False
                kept.append(value)
                if isinstance(value, OpenContainer):
                    # The reads of its members are forgotten: all of it is read now.
                    pending += value.members()
                    continue
            pending += members(value)
        known = {id(container) for container in kept}
        for slot, value in world.slots.items():
            if any(id(part) in known for part in reachable([value], changeable)):
                self._held_from.add(slot)
        for container in kept:
            # One that this path made may be changed by now; only later changes matter.
            container.changed = False
        self._held += kept
        return True

    def _is_canonical(self, inside: list[object]) -> bool:
        """Whether what is in a set or dict is in canonical order."""
        found = self._folds.ids_of(inside)
        return list(found) == sorted(found, key=self._folds.interner.order_key)


class _AskedSoFar:
    """What a path has asked and changed so far."""

    def __init__(self, run: Execution, rule: Rule, restart: Restart | None) -> None:
        self._run = run
        self._begin: Hashable = rule if restart is None else restart.mark

    def prefix(self) -> Hashable:
        events = self._run.recorder.events
        last = next((i for i in range(len(events) - 1, -1, -1) if isinstance(events[i], Cut)), None)
        if last is None:
            return (self._begin, *events)
        restart = events[last]
        assert isinstance(restart, Restart)
        return (restart.mark, *events[last + 1 :])

    @property
    def touches(self) -> int:
        return sum(world.touches for world in self._worlds())

    def changes(self) -> Hashable:
        world = self._run.world
        counts = (len(world.written), len(world.cells), len(world.created), len(world.sent), len(world.drawn))
        slots = (tuple(slot for slot, value in one.slots.items() if changed(value)) for one in self._worlds())
        return (counts, *slots)

    @property
    def has_changed(self) -> bool:
        return any(changed(value) for world in self._worlds() for value in world.slots.values())

    @property
    def untouched(self) -> bool:
        return all(map(_untouched, self._worlds()))

    def changed_names(self) -> frozenset[str] | None:
        found: set[str] = set()
        for world in self._worlds():
            if world.cells or world.created or world.sent or world.drawn:
                # One container may have two names; and a turn begins as a path that has done nothing.
                return None
            slots = [*world.written, *[slot for slot, value in world.slots.items() if changed(value)]]
            found.update([str(root_of(slot)[-1]) for slot in slots])
        return frozenset(found)

    @property
    def of_steps(self) -> bool:
        return len(self._worlds()) > 1

    @contextmanager
    def apart(self) -> Iterator[Sequence[Event]]:
        with ExitStack() as stack:
            for world in self._worlds():
                stack.enter_context(world.apart())
            yield stack.enter_context(self._run.recorder.apart())

    def side(self, world: object) -> int:
        assert isinstance(world, PartsWorld)
        return world.side

    def look(self, slot: Slot) -> int:
        return self._run.recorder.look(slot)

    def _worlds(self) -> list[PartsWorld]:
        world = self._run.world
        assert isinstance(world, PartsWorld)
        return world.together


class _Unshared:
    """Freezes values that share nothing."""

    def __init__(self, interner: Interner) -> None:
        self._interner = interner

    def freeze(self, value: object) -> int:
        return freeze(value, self._interner)


def _untouched(world: PartsWorld) -> bool:
    """Whether nothing was changed yet: no slot bound, no container changed in place, nothing created or sent."""
    if world.written or world.cells or world.created or world.sent or world.drawn:
        return False
    return not any(map(changed, world.slots.values()))
