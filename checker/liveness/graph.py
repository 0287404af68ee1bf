"""The graph on which liveness is judged: states, steps, and their fairness obligations.

States are numbered level by level, and the edges of a state are in step order. The graphs of two engines are equal
except for the numbers of states within a level.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from enum import IntEnum
from typing import NamedTuple, TypeVar

from fizz.base.light import dataclass
from interpreter import Machine
from interpreter.state.step import FairChoice, FairName, StepOrder
from interpreter.values.budget import METER


class Strength(IntEnum):
    """The kind of an obligation, in the order in which a lasso meets them (language page, 12.4)."""

    STRONG = 0
    WEAK = 1
    ALTERNATIVE = 2


class Obligation(NamedTuple):
    """Something that a fair cycle may have to take; sorts as in language page 12.4.

    A fair action or the threads of an action (`name`), or an alternative of a fair choice: then `location` is that of
    the choice, `name` its `self` and `value` the chosen value.
    """

    strength: Strength
    location: str
    name: str
    value: str
    thread: bool


def obligation_of(fair: tuple[FairName, str] | None) -> Obligation | None:
    """The obligation that a step takes, from the fairness of its rule; None: the rule is not fair."""
    if fair is None:
        return None
    name, strength = fair
    return Obligation(Strength[strength.upper()], "", name.name, "", name.kind == "thread")


Obligations = frozenset[Obligation]
NONE: Obligations = frozenset()


@dataclass(frozen=True, slots=True)
class FairnessMark:
    """The obligations that an edge takes and offers, and its position in the step order. Many edges share one mark.

    `labels` as in `LiveStep`.
    """

    order: StepOrder
    takes: Obligations = NONE
    offers: Obligations = NONE
    labels: tuple[str, ...] = ()

    @property
    def fair(self) -> bool:
        """Whether it is a step of a fair action or of a thread."""
        return any(o.strength != Strength.ALTERNATIVE for o in self.takes)


class LiveStep(NamedTuple):
    """A step as liveness sees it. `name` is None for unfair starts, deliveries and crashes.

    `labels`, only if the task asks for them: who acts, and then the labels of the step and its choices in order.
    """

    order: StepOrder
    name: Obligation | None
    choices: tuple[FairChoice, ...]
    labels: tuple[str, ...] = ()


def crash_of(order: StepOrder, labels: tuple[str, ...] = ()) -> LiveStep:
    """A twin or role crash as liveness sees it, without obligations."""
    return LiveStep(order, None, (), labels)


def marks_of(steps: Sequence[LiveStep]) -> list[FairnessMark]:
    """The marks of all live steps of one state: what each takes, and what its fair choices offer."""
    offered = _offered(steps)
    return [_mark(step, offered) for step in METER.attended(steps)]


def mark_of(step: LiveStep, siblings: Iterable[LiveStep]) -> FairnessMark:
    """The mark of one step of a state; `siblings`: the steps of the same actor, itself among them."""
    return _mark(step, _offered(siblings) if step.choices else {})


def _offered(steps: Iterable[LiveStep]) -> dict[tuple[object, ...], set[Obligation]]:
    """The alternatives of each fair choice that these steps make."""
    offered: dict[tuple[object, ...], set[Obligation]] = {}
    for step in METER.attended(steps):
        for choice in step.choices:
            offered.setdefault(_point(step, choice), set()).add(_alternative(choice))
    return offered


def _mark(step: LiveStep, offered: Mapping[tuple[object, ...], set[Obligation]]) -> FairnessMark:
    takes = {_alternative(choice) for choice in step.choices}
    if step.name is not None:
        takes.add(step.name)
    offers = frozenset(o for choice in step.choices for o in offered[_point(step, choice)])
    return FairnessMark(step.order, frozenset(takes), offers, step.labels)


def _point(step: LiveStep, choice: FairChoice) -> tuple[object, ...]:
    """The key of a choice that sibling steps share: same actor, same earlier choices."""
    return (step.order.candidate, step.order.forks[: choice.fork])


def _alternative(choice: FairChoice) -> Obligation:
    return Obligation(Strength.ALTERNATIVE, choice.location, choice.instance, choice.value, False)


def available(steps: Iterable[LiveStep]) -> Obligations:
    """The obligations that have a step in a state."""
    return frozenset(step.name for step in steps if step.name is not None)


@dataclass(frozen=True, slots=True)
class Classes:
    """Names of symmetric roles and values in obligations, replaced by their role or domain (11.3).

    Renaming to the least image loses the identity of instances. A cycle that is fair to each instance is fair to their
    class, so no fair cycle is lost. Weak names have no meaning for a class and are dropped.
    """

    numbered: re.Pattern[str]

    @classmethod
    def of(cls, machine: Machine) -> Classes:
        """The classes of a machine's symmetric roles and domains."""
        names = [role.name for role in machine.program.roles if role.symmetric] + list(machine.code.domains.shapes)
        either = "|".join(re.escape(name) for name in names)
        return cls(re.compile(rf"\b({either})#?\d+\b" if names else "(?!)"))

    def blur(self, step: LiveStep) -> LiveStep:
        """The step with classes instead of instances and symmetric values."""
        name = step.name
        if name is not None and (text := self._class(name.name)) != name.name:
            name = None if name.strength == Strength.WEAK else name._replace(name=text)
        choices = tuple(
            choice._replace(instance=self._class(choice.instance), value=self._class(choice.value))
            for choice in step.choices
        )
        return step._replace(name=name, choices=choices)

    def _class(self, text: str) -> str:
        return self.numbered.sub(r"\1", text)


class GraphPart(NamedTuple):
    """Consecutive states of a graph, in columns of bytes; numbers are those of the whole graph."""

    first: bytes
    targets: bytes
    marks: bytes
    needs: bytes
    quiet: bytes
    cut: bytes


@dataclass(slots=True)
class Graph:
    """States 0 … n-1, level by level. Edges of state s: `first[s]` to `first[s + 1]`, in step order.

    `marks` has for each edge an index into `mark_table`, `needs` for each state one into `need_table`: the obligations
    available there. `quiet`: no unfinished thread. `cut`: not all steps of the state are in the graph. `least` chooses
    the state of a finding from states in ascending order: that of least (level, crashes, key). `cost`: the level of a
    state and the crash steps on the path to it; `costs`: these and the key of many states in ascending order, if that
    is faster. Crash steps are among the edges only if a stem may use them.
    """

    key: Callable[[int], int]
    classes: Classes | None = None
    least: Callable[[Iterable[int]], int] = min
    cost: Callable[[int], tuple[int, int]] = lambda state: (0, 0)
    costs: Callable[[Sequence[int]], Sequence[tuple[int, int, int]]] | None = None
    first: array[int] = field(default_factory=lambda: array("Q", [0]))
    targets: array[int] = field(default_factory=lambda: array("I"))
    marks: array[int] = field(default_factory=lambda: array("I"))
    needs: array[int] = field(default_factory=lambda: array("I"))
    quiet: bytearray = field(default_factory=bytearray)
    cut: bytearray = field(default_factory=bytearray)
    mark_table: list[FairnessMark] = field(default_factory=list)
    need_table: list[Obligations] = field(default_factory=list)
    _mark_numbers: dict[FairnessMark, int] = field(default_factory=dict)
    _need_numbers: dict[Obligations, int] = field(default_factory=dict)
    _shapes: dict[tuple[int, tuple[LiveStep, ...]], tuple[int, tuple[int, ...]]] = field(default_factory=dict)

    def add_state(self, steps: Sequence[LiveStep], targets: Sequence[int] | None, quiet: bool, cut: bool) -> None:
        """Add the next state. `targets` are those of the first steps; further steps lead out of the graph."""
        # A state may have a million steps; if making their shape fails, nothing has been added.
        need, marks = self.shape(steps, len(targets) if targets is not None else 0)
        self.needs.append(need)
        self.quiet.append(quiet)
        self.cut.append(cut)
        self.marks.extend(marks)
        self.targets.extend(targets or ())
        self.first.append(len(self.targets))

    def shape(self, steps: Sequence[LiveStep], inside: int) -> tuple[int, tuple[int, ...]]:
        """The index of a state's need and those of its marks, if `inside` of its steps lead into the graph."""
        if self.classes is not None:
            steps = [self.classes.blur(step) for step in METER.attended(steps)]
        # Many states have the same steps except for the targets: their marks are made once.
        shape = (inside, tuple(steps))
        if shape not in self._shapes:
            need = _number(available(steps), self._need_numbers, self.need_table)
            made = (_number(mark, self._mark_numbers, self.mark_table) for mark in marks_of(steps[:inside]))
            self._shapes[shape] = (need, tuple(made))
        return self._shapes[shape]

    def forget(self, state: int) -> None:
        """Remove this state and all later ones."""
        edge = self.first[state]
        del self.first[state + 1 :], self.targets[edge:], self.marks[edge:], self.needs[state:]
        del self.quiet[state:], self.cut[state:]

    def part(self, begin: int) -> GraphPart:
        """The states from `begin` on."""
        edge = self.first[begin]
        return GraphPart(
            self.first[begin + 1 :].tobytes(),
            self.targets[edge:].tobytes(),
            self.marks[edge:].tobytes(),
            self.needs[begin:].tobytes(),
            bytes(self.quiet[begin:]),
            bytes(self.cut[begin:]),
        )

    def add_part(self, part: GraphPart) -> None:
        """Add the states of a `part` of this graph, or of one with the same tables."""
        for column, data in zip((self.first, self.targets, self.marks, self.needs), part[:4], strict=True):
            column.frombytes(data)
        self.quiet += part.quiet
        self.cut += part.cut

    def set_tables(self, marks: list[FairnessMark], needs: list[Obligations]) -> None:
        """Use the tables of another graph; this one must be empty."""
        self.mark_table, self.need_table = marks, needs
        self._mark_numbers = {mark: number for number, mark in enumerate(marks)}
        self._need_numbers = {need: number for number, need in enumerate(needs)}

    @property
    def states(self) -> int:
        return len(self.needs)

    def costs_of(self, states: Sequence[int]) -> Sequence[tuple[int, int, int]]:
        """The level of each state, the crash steps on the path to it, and its key; of states in ascending order."""
        return [(*self.cost(one), self.key(one)) for one in states] if self.costs is None else self.costs(states)

    def edges(self, state: int) -> range:
        """The numbers of the edges of a state."""
        return range(self.first[state], self.first[state + 1])

    def source(self, edge: int) -> int:
        """The state where an edge begins."""
        return bisect_right(self.first, edge) - 1

    @property
    def crash_marks(self) -> frozenset[int]:
        """The indexes of the marks of crash steps, which no cycle has."""
        return frozenset(number for number, mark in enumerate(self.mark_table) if mark.order.crashes)

    def mark(self, edge: int) -> FairnessMark:
        return self.mark_table[self.marks[edge]]

    def need(self, state: int) -> Obligations:
        return self.need_table[self.needs[state]]


Item = TypeVar("Item")


def _number(item: Item, numbers: dict[Item, int], table: list[Item]) -> int:
    number = numbers.get(item)
    if number is None:
        number = numbers[item] = len(table)
        table.append(item)
    return number
