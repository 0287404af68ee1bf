"""The weights of a state's steps: what is chosen there with which probability, and what that adds to counters.

The steps of a state are the leaves of a tree: first it is chosen who acts, then each choice inside the step, then
whether the step ends in a crash. An alternative has the product of the probabilities of its labels; those without one
share what is left of their choice. A path that is given up in a loop of choices goes on where the lesser path is, so
that the tree may have circles (language page, 15).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import Final, NamedTuple

from checker.liveness.graph import FairnessMark
from checker.measure.measure_file import MeasureFile, Nondeterminism
from interpreter.state.step import CHOICE_MARK, GIVEN_UP_MARK, StepKind

_SLACK: Final = Fraction(1, 10**9)
"""Probabilities are written with so many digits: sums may be off by so much."""

Gains = tuple[int, ...]
"""What is added to each counter, in its units."""


class CannotWeigh(Exception):
    """A choice whose probabilities do not fit: `text` says why, `labels` which ones have some, `hint` what to do."""

    def __init__(self, text: str, labels: Sequence[str], hint: str) -> None:
        super().__init__(text)
        self.text = text
        self.labels = tuple(labels)
        self.hint = hint


class WeighedEdge(NamedTuple):
    """An edge from a node of a state to a step's target, or to another node of the state.

    Node 0 is the state itself. `step` is the number of the step, or -1; then `node` is where it leads.
    """

    source: int
    step: int
    node: int
    probability: float
    gains: Gains


@dataclass(frozen=True, slots=True)
class StateWeights:
    """The edges of a state. `nodes` counts its nodes, itself included; at those in `free` a scheduler decides.

    `met`: the labels that occur among its steps.
    """

    edges: tuple[WeighedEdge, ...]
    nodes: int
    free: frozenset[int]
    met: frozenset[str]


@dataclass(frozen=True, slots=True)
class Units:
    """The counters, and the unit of each: everything that is added to it is a multiple."""

    names: tuple[str, ...]
    units: tuple[Fraction, ...]

    @classmethod
    def of(cls, file: MeasureFile) -> Units:
        """The units of a file's counters: the greatest that divide all that is added."""
        units = []
        for name in file.counters:
            added = [weight.counters[name] for weight in file.weights.values() if weight.counters.get(name)]
            bottom = lcm(*(one.denominator for one in added))
            units.append(Fraction(gcd(*(int(one * bottom) for one in added)) or 1, bottom))
        return cls(file.counters, tuple(units))


_Key = tuple[tuple[int, ...], tuple[int, ...]]
"""A node of the tree: whose step it is, in step order, and the choices made so far."""
_ROOT: Final[_Key] = ((), ())


class _Alternative(NamedTuple):
    """An alternative of a choice: what to call it, its labels, and where it leads: to a node, or to a step."""

    name: str
    labels: tuple[str, ...]
    node: _Key | None
    step: int = -1


class _Weighed(NamedTuple):
    name: str
    probability: Fraction | None
    labels: tuple[str, ...]
    """Those with a probability."""
    gains: Gains
    node: _Key | None
    step: int


class Weighing:
    """Weighs the steps of states by the labels of a file."""

    def __init__(self, file: MeasureFile, nondeterminism: Nondeterminism) -> None:
        self.file = file
        self.nondeterminism = nondeterminism
        self.units = Units.of(file)

    def of(self, steps: Sequence[FairnessMark]) -> StateWeights:
        """The weights of the steps of one state. Raises `CannotWeigh`."""
        return _Tree(self, steps).weights()

    def never_left(self, steps: Sequence[FairnessMark]) -> tuple[str, ...]:
        """The labels with a probability in what is never left of the steps of one state, those with 0 first."""
        tree = _Tree(self, steps)
        weights = tree.weights()
        labels = [label for node in _stuck_nodes(weights) for label in tree.given.get(node, ())]
        return tuple(sorted(dict.fromkeys(labels), key=lambda label: self.file.weights[label].probability != 0))

    def weighed(self, alternative: _Alternative) -> _Weighed:
        """An alternative with its probability, if it has one, and its gains."""
        weights = self.file.weights
        given = {
            label: probability
            for label in alternative.labels
            if label in weights and (probability := weights[label].probability) is not None
        }
        product = Fraction(1)
        for probability in given.values():
            product *= probability
        gains = [0] * len(self.units.names)
        for label in alternative.labels:
            for position, (name, unit) in enumerate(zip(self.units.names, self.units.units, strict=True)):
                added = weights[label].counters.get(name) if label in weights else None
                gains[position] += 0 if added is None else int(added / unit)
        return _Weighed(
            alternative.name,
            product if given else None,
            tuple(given),
            tuple(gains),
            alternative.node,
            alternative.step,
        )


@dataclass(slots=True)
class _Tree:
    """The tree of one state's steps."""

    weighing: Weighing
    steps: Sequence[FairnessMark]
    _nodes: dict[_Key, dict[object, _Alternative]] = field(default_factory=dict)
    _jumps: dict[_Key, tuple[_Key, tuple[str, ...]]] = field(default_factory=dict)
    """By path given up, where it goes on, and with which labels."""
    _met: set[str] = field(default_factory=set)
    given: dict[int, list[str]] = field(default_factory=dict)
    """By node, the labels with a probability of what is chosen there."""

    def weights(self) -> StateWeights:
        """The weights of the tree."""
        given_up: dict[tuple[int, ...], str] = {}
        for number, mark in enumerate(self.steps):
            labels = mark.labels
            if len(labels) > 1 and labels[-1].startswith(GIVEN_UP_MARK):
                given_up[mark.order.candidate] = labels[-1]
                labels = labels[:-1]
            self._add_step(number, mark, labels)
        for candidate, text in given_up.items():
            self._add_given_up(candidate, text)
        self._prune()
        return self._flat()

    # --- the tree --------------------------------------------------------------------------------------------------

    def _add_step(self, number: int, mark: FairnessMark, labels: tuple[str, ...]) -> None:
        order, actor = mark.order, labels[0] if labels else ""
        crash = order.crashes
        if crash and not self._crash_labels(actor):
            # Crashes without a probability never happen.
            return
        self._add_path(order.candidate, order.forks, labels[1:], actor)
        leaf = self._nodes.setdefault((order.candidate, order.forks), {})
        role_crash = order.candidate[:1] == (StepKind.CRASH_ROLE.value,)
        if crash and not role_crash:
            leaf["crash"] = _Alternative(f"crash {actor}", self._crash_labels(actor), None, number)
        else:
            leaf["end"] = _Alternative(actor, (), None, number)

    def _add_path(
        self, candidate: tuple[int, ...], forks: tuple[int, ...], labels: tuple[str, ...], actor: str
    ) -> None:
        """The nodes and alternatives on the way to a leaf."""
        first, *others = _segments(labels)
        own: tuple[str, ...] = ()
        name = actor
        if candidate[:1] == (StepKind.START.value,):
            own = self._most_special(_names_of(actor))
        elif candidate[:1] == (StepKind.CRASH_ROLE.value,):
            own, name = self._crash_labels(actor), f"crash {actor}"
        elif candidate[:1] == (StepKind.CONTINUE.value,):
            name = f"{actor}, which goes on"
        self._nodes.setdefault(_ROOT, {}).setdefault(
            candidate, _Alternative(name or "Init", (*own, *first), (candidate, ()))
        )
        for depth, segment in enumerate(others):
            node = self._nodes.setdefault((candidate, forks[:depth]), {})
            below = (candidate, forks[: depth + 1])
            # A statement of a block is known by its label, if it has one.
            name = segment[1] if len(segment) > 1 and ".Stmt:" in segment[0] else segment[0]
            node.setdefault(forks[depth], _Alternative(name, segment, below))

    def _add_given_up(self, candidate: tuple[int, ...], text: str) -> None:
        """The paths of a step that were given up. Each ends where the lesser path goes on from the header."""
        paths = [
            (tuple(chosen), tuple(labels), tuple(lesser), passed)
            for chosen, labels, lesser, passed in json.loads(text.removeprefix(GIVEN_UP_MARK))
        ]
        known = {chosen: labels for chosen, labels, _, _ in paths}
        for mark in self.steps:
            if mark.order.candidate == candidate:
                known.setdefault(mark.order.forks, tuple(one for one in mark.labels[1:] if one[:1] != GIVEN_UP_MARK))
        beginnings: dict[tuple[int, ...], tuple[str, ...]] = {}
        for chosen, labels in known.items():
            for length in range(len(chosen) + 1):
                beginnings.setdefault(chosen[:length], labels)
        for chosen, labels, lesser, passed in paths:
            if lesser not in beginnings:
                continue  # it leads to no step
            rest = beginnings[lesser][passed:]
            following = _segments(rest)[0]
            self._add_path(candidate, chosen, (*labels, *following), "")
            self._jumps[candidate, chosen] = ((candidate, lesser), ())

    def _prune(self) -> None:
        """Drop the alternatives that lead to no step."""
        into: dict[_Key, list[_Key]] = {}
        for key, alternatives in self._nodes.items():
            for one in alternatives.values():
                if one.node is not None:
                    into.setdefault(one.node, []).append(key)
        for key, (target, _) in self._jumps.items():
            into.setdefault(target, []).append(key)
        live: set[_Key] = set()
        waiting = [key for key, node in self._nodes.items() if any(one.node is None for one in node.values())]
        while waiting:
            key = waiting.pop()
            if key not in live:
                live.add(key)
                waiting += into.get(key, ())
        for alternatives in self._nodes.values():
            for name in [name for name, one in alternatives.items() if one.node is not None and one.node not in live]:
                del alternatives[name]
        self._jumps = {key: jump for key, jump in self._jumps.items() if key in live}

    def _most_special(self, names: Iterable[str]) -> tuple[str, ...]:
        """The first of these labels that has a weight."""
        found = next((name for name in names if name in self.weighing.file.weights), None)
        return () if found is None else (found,)

    def _crash_labels(self, actor: str) -> tuple[str, ...]:
        """The label that gives a crash of an instance or of an action's thread its probability."""
        weights = self.weighing.file.weights
        found = self._most_special(f"crash {name}" for name in _names_of(actor))
        return found if found and weights[found[0]].probability is not None else ()

    # --- its weights -----------------------------------------------------------------------------------------------

    def _resolved(self, key: _Key) -> _Key:
        """The node where a path goes on: itself, or that of the lesser path."""
        while key in self._jumps:
            key = self._jumps[key][0]
        return key

    def _flat(self) -> StateWeights:
        """The edges between the state, what its steps lead to, and the nodes in between that are needed."""
        numbers: dict[_Key, int] = {_ROOT: 0}
        for key in self._jumps:
            target = self._resolved(key)
            if "end" not in self._nodes.get(target, {}):
                numbers.setdefault(target, len(numbers))
        count = len(numbers)
        edges: list[WeighedEdge] = []
        free: set[int] = set()
        nothing = (0,) * len(self.weighing.units.names)
        if not self._nodes.get(_ROOT):
            return StateWeights((), 1, frozenset(), frozenset())
        waiting: list[tuple[int, _Key, Fraction, Gains]] = [
            (number, key, Fraction(1), nothing) for key, number in numbers.items()
        ]
        while waiting:
            source, key, product, gains = waiting.pop()
            weighed = [self._noted(one) for one in self._nodes[key].values()]
            shared = self._shared(weighed)
            scheduler = -1
            self.given.setdefault(source, []).extend(label for one in weighed for label in one.labels)
            for one, (probability, is_free) in zip(weighed, shared, strict=True):
                origin, share, before = source, product * probability, gains
                if is_free:
                    if scheduler < 0:
                        scheduler, count = count, count + 1
                        free.add(scheduler)
                        edges.append(WeighedEdge(source, -1, scheduler, float(share), gains))
                    origin, share, before = scheduler, Fraction(1), nothing
                added = tuple(a + b for a, b in zip(before, one.gains, strict=True))
                if one.node is None:
                    edges.append(WeighedEdge(origin, one.step, -1, float(share), added))
                    continue
                target = self._resolved(one.node)
                if target in numbers:
                    edges.append(WeighedEdge(origin, -1, numbers[target], float(share), added))
                elif is_free and len(self._nodes[target]) > 1:
                    # The scheduler takes an edge, not a share of it: what is chosen next is chosen at a node.
                    edges.append(WeighedEdge(origin, -1, count, 1.0, added))
                    waiting.append((count, target, Fraction(1), nothing))
                    count += 1
                else:
                    waiting.append((origin, target, share, added))
        return StateWeights(tuple(edges), count, frozenset(free), frozenset(self._met))

    def _noted(self, alternative: _Alternative) -> _Weighed:
        self._met.update(alternative.labels)
        return self.weighing.weighed(alternative)

    def _shared(self, weighed: Sequence[_Weighed]) -> list[tuple[Fraction, bool]]:
        """The probability of each alternative, and whether a scheduler decides about it; then that of all such."""
        given = [one for one in weighed if one.probability is not None]
        total = sum((one.probability for one in given if one.probability is not None), Fraction(0))
        without = [one for one in weighed if one.probability is None]
        labels = [label for one in given for label in one.labels]
        if total > 1 + _SLACK:
            raise CannotWeigh(
                f"the probabilities of {_listed(one.name for one in given)} together are {_decimal(total)}, above 1",
                labels,
                "the alternatives of one choice have 1 together",
            )
        rest = max(1 - total, Fraction(0))
        if not without:
            if rest > _SLACK:
                raise CannotWeigh(
                    f"{_listed(one.name for one in given)} can happen and nothing else; their probabilities together"
                    f" are {_decimal(total)}, below 1",
                    labels,
                    "what happens otherwise? Add an alternative without a probability, as an action with `pass`, or"
                    " leave one of the probabilities out",
                )
            return [((one.probability or Fraction(0)) / total if total else Fraction(0), False) for one in weighed]
        if len(without) == 1 or rest <= _SLACK:
            share = rest / len(without)
            return [(share if one.probability is None else one.probability, False) for one in weighed]
        if self.weighing.nondeterminism == "uniform":
            share = rest / len(without)
            return [(share if one.probability is None else one.probability, False) for one in weighed]
        if self.weighing.nondeterminism == "bounds":
            return [(rest, True) if one.probability is None else (one.probability, False) for one in weighed]
        raise CannotWeigh(
            f"{_listed(one.name for one in without)} have no probability",
            (),
            "give probabilities to all but one of them, or say --nondeterminism uniform (each equally probable) or"
            " --nondeterminism bounds (least and greatest values over all schedulers)",
        )


def _stuck_nodes(weights: StateWeights) -> list[int]:
    """The nodes inside of steps that are come to, and from which no step is completed."""
    likely = [edge for edge in weights.edges if edge.probability > 0]
    onward = [(edge.source, edge.node) for edge in likely if edge.step < 0]
    come_to = _closure({0}, onward)
    left = _closure({edge.source for edge in likely if edge.step >= 0}, [(node, source) for source, node in onward])
    return sorted(come_to - left - {0})


def _closure(found: set[int], edges: Sequence[tuple[int, int]]) -> set[int]:
    """These nodes, and all that edges lead to from them."""
    while new := {target for source, target in edges if source in found} - found:
        found |= new
    return found


def _segments(labels: Sequence[str]) -> list[tuple[str, ...]]:
    """Labels before the first choice, and from each choice on; that is a label too, as `Act.x=1`."""
    segments: list[list[str]] = [[]]
    for label in labels:
        if label.startswith(CHOICE_MARK):
            segments.append([label.removeprefix(CHOICE_MARK)])
        else:
            segments[-1].append(label)
    return [tuple(segment) for segment in segments]


def _names_of(actor: str) -> tuple[str, ...]:
    """The names of an actor, the most special one first: `Node#0.Act`, `Node.Act`; `Node#0`, `Node`."""
    instance, dot, action = actor.partition(".")
    role = instance.partition("#")[0]
    return (actor,) if role == instance else (actor, f"{role}{dot}{action}")


def _listed(names: Iterable[str]) -> str:
    """Some names, joined."""
    found = list(dict.fromkeys(names))
    shown = found[:4] + ([f"{len(found) - 4} more"] if len(found) > 4 else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _decimal(number: Fraction) -> str:
    return f"{float(number):.9g}"
