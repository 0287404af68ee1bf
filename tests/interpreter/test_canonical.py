"""Symmetry: the canonical state is the image of least key, computed here from encodings alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter import Machine, State
from tests.interpreter.running import machine_of, report_of
from tests.interpreter.test_keys import Raw, dump, key_by_hand

MODELS = {
    "nominal": """
        K = symmetric_values("k", 3)
        D = symmetry.nominal(name="d", limit=3)
        action Init: at, on, last = {}, set(), None
        action Go:
            key = oneof K
            value = oneof D.choices()
            on.add(key)
            at[key] = value
            last = (key, value)
        atomic action Off:
            key = oneof on
            on.remove(key)
            last = None
    """,
    "roles": """
        ---
        action_options: {"Node#.Vote": {max_actions: 1}}
        ---
        symmetric role Node:
            action Init:
                self.voted = None
                self.log = []
            action Vote:
                other = oneof nodes
                self.voted = other.__id__
                other.log.append(self)
            func note(v): self.log = [v]
        Net = Channel()
        action Init:
            nodes = set()
            for i in range(3): nodes.add(Node())
        atomic action Send:
            node = oneof nodes
            Net.stub(node).note(1)
    """,
    "a crowd": """
        K = symmetric_values("k", 5)
        action Init: on, pairs = set(), {}
        atomic action On:
            key = oneof K
            require len(on) < 3
            on.add(key)
        atomic action Pair:
            a = oneof K
            b = oneof K
            require len(pairs) < 2
            pairs[a] = b
    """,
    "a crowd of instances": """
        ---
        action_options: {"Node#.Vote": {max_actions: 1}}
        ---
        Net = Channel()
        symmetric role Node:
            action Init: self.voted = None
            action Vote:
                other = oneof nodes
                self.voted = other.__id__
                return other
            func note(v): self.voted = v
        action Init: nodes, last = set([Node() for i in range(4)]), None
        atomic action Send:
            node = oneof nodes
            Net.stub(node).note(node)
        atomic action Point: last = oneof nodes
        always assertion Returns: return type(__returns__) == "dict"
    """,
    "ordinal": """
        D = symmetry.ordinal(name="o", limit=4, reflection=True)
        action Init: held, top = {}, None
        atomic action Draw:
            name = oneof ["a", "b", "c", "d"]
            gap = oneof D.segments()
            held[name] = gap.fresh()
            top = max([held[n] for n in held])
    """,
    "interval": """
        D = symmetry.interval(name="t", divergence=3, start=2, reflection=True)
        action Init:
            first = D.fresh()
            clocks = {"a": first, "b": first, "c": first}
            first = None
        action Tick:
            name = oneof clocks
            now = clocks[name]
            clocks[name] = now + 1
            first = now if first == None else None
    """,
    "rotational": """
        D = symmetry.rotational(name="p", limit=4, reflection=True)
        E = symmetry.rotational(name="q", limit=3)
        action Init: used, seats, hand = set(), [None, None], E.fresh()
        atomic action Take:
            place = oneof D.choices()
            used.add(place)
            seats = [seats[1], place + 1]
        atomic action Turn:
            hand = hand + 1
            seats[0] = hand
        atomic action Leave:
            place = oneof used
            used.remove(place)
    """,
    "product": """
        K = symmetric_values("k", 2)
        symmetric role R:
            action Init: self.key, self.time = None, T.fresh()
            action Take:
                key = oneof K
                self.key = key
                self.time = self.time + 1
        T = symmetry.interval(name="t", divergence=2)
        action Init: all_of = bag([])
        atomic action Make:
            require len(all_of) < 3
            all_of.add(R())
    """,
    "segments": """
        D = symmetry.ordinal(name="o", limit=4, reflection=True)
        action Init: held, gap, kept = {}, None, []
        atomic action Look:
            gap = oneof D.segments()
            kept = [gap]
        atomic action Drop:
            name = oneof held
            held.pop(name)
        action Draw:
            require gap != None
            name = oneof ["a", "b", "c"]
            mine = gap
            gap = None
            held[name] = mine.fresh()
    """,
    "returns": """
        symmetric role Node:
            action Init: self.s = 0
            atomic action Toggle:
                self.s = 1 - self.s
                if self.s == 1:
                    return [self, self.__id__]
        action Init: nodes = bag([Node(), Node(), Node()])
        exists assertion Read: return len(__returns__) > 0
    """,
    "nested": """
        K = symmetric_values("k", 3)
        D = symmetry.rotational(name="p", limit=4, reflection=True)
        symmetric role Node:
            action Init: self.at, self.seen = None, {}
            action Move:
                mine = oneof D.choices()
                around = [(mine, struct(n=self.__id__))]
                for key in [K[0], K[1]]:
                    self.seen[key] = record(at=mine, by=genericmap([([self], mine)]))
                    self.at = {"p": set([mine])}
                self.at = bag([around[0], (self.__id__, mine)])
            func take(v):
                self.at = [v[0], v[1]]
                self.seen = {}
        Net = Channel()
        action Init: nodes, log = set([Node(), Node()]), genericset()
        atomic action Send:
            node = oneof nodes
            key = oneof K
            Net.stub(node).take([key, node])
            log.add([node.__id__, [key]])
    """,
}
KINDS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "k": ("nominal", {}),
    "d": ("nominal", {}),
    "Node": ("nominal", {}),
    "R": ("nominal", {}),
    "o": ("ordinal", {"reflection": True}),
    "t": ("interval", {}),
    "p": ("rotational", {"limit": 4, "reflection": True}),
    "q": ("rotational", {"limit": 3}),
}
Renaming = Mapping[tuple[str, int], int]
REFLECTED = -1
"""Stands in a renaming for the news that the order of a domain is reversed, which only its segments show."""


@cache
def machine(name: str) -> Machine:
    return machine_of(MODELS[name])


def renamings(model: str, name: str, used: list[int]) -> Iterator[list[int]]:
    """The new numbers of the used values of a domain, and after them a mark if an order is reversed."""
    kind, shape = KINDS[name]
    n, low, high = len(used), used[0], used[-1]
    reflection = shape.get("reflection") or (model == "interval" and name == "t")
    start = 2 if model == "interval" else 0
    if kind == "nominal":
        yield from map(list, permutations(range(n)))
    elif kind == "ordinal":
        yield list(range(n))
        yield [*reversed(range(n)), REFLECTED]
    elif kind == "interval":
        yield [u - low + start for u in used]
        if reflection:
            yield [high - u + start for u in used]
    else:
        for s in range(shape["limit"]):
            yield [(u + s) % shape["limit"] for u in used]
            if reflection:
                yield [(s - u) % shape["limit"] for u in used]


def numbers_in(value: Any) -> Iterator[tuple[str, int]]:
    """The symmetric values, ids and instances in an encoding."""
    if isinstance(value, list):
        for item in value:
            yield from numbers_in(item)
    elif isinstance(value, dict):
        for mark, inner in value.items():
            if mark in ("$sym", "$id"):
                yield inner[0], inner[1]
            elif mark == "$segment":
                yield from ((inner[0], end) for end in inner[1:] if end is not None)
            elif mark == "$role" or (mark == "$stub" and isinstance(inner, list)):
                role, number = (inner if mark == "$role" else inner[1]).split("#")
                yield role, int(number)
            else:
                yield from numbers_in(inner)


def renamed(value: Any, new: Renaming) -> Any:
    """The encoding with new numbers, unordered collections sorted again."""
    if isinstance(value, list):
        return [renamed(item, new) for item in value]
    if not isinstance(value, dict):
        return value
    ((mark, inner),) = value.items() if len(value) == 1 else ((None, None),)
    if mark in ("$sym", "$id"):
        return {mark: [inner[0], new.get((inner[0], inner[1]), inner[1])]}
    if mark in ("$role", "$stub"):
        role, number = (inner if mark == "$role" else inner[1]).split("#")
        text = f"{role}#{new.get((role, int(number)), number)}"
        return {mark: text if mark == "$role" else [inner[0], text]}
    if mark == "$segment":
        low, high = inner[1:]
        if (inner[0], REFLECTED) in new:
            low, high = high, low
        return {mark: [inner[0], *(None if end is None else new[inner[0], end] for end in (low, high))]}
    if mark in ("$set", "$bag", "$dict", "$genericset", "$genericmap"):
        return {mark: sorted((renamed(item, new) for item in inner), key=dump)}
    return {name: renamed(item, new) for name, item in value.items()}


def least_key(model: str, encoding: str) -> str:
    """The least key of all images."""
    state = json.loads(encoding, parse_float=Raw)
    used: dict[str, set[int]] = {}
    for name, number in [*numbers_in(state), *((role[0], role[1]) for role in state["roles"])]:
        if name in KINDS:
            used.setdefault(name, set()).add(number)
    domains = [(name, sorted(numbers)) for name, numbers in used.items()]
    keys = []
    for chosen in product(*[renamings(model, name, numbers) for name, numbers in domains]):
        new = {
            (name, old): fresh
            for (name, numbers), image in zip(domains, chosen, strict=True)
            for old, fresh in zip([*numbers, REFLECTED], image, strict=False)
        }
        image = renamed(state, new)
        for role in image["roles"]:
            role[1] = new.get((role[0], role[1]), role[1])
        image["counters"] = {
            f"each Node#{new['Node', int(key.split('#')[1].split('.')[0])]}.Vote": n
            for key, n in image["counters"].items()
        }
        if "returns" in image:
            image["returns"] = {
                f"Node#{new['Node', int(label.split('#')[1].split('.')[0])]}.{label.split('.')[1]}": value
                for label, value in image["returns"].items()
            }
        keys.append(key_by_hand(dump(image)))
    return min(keys)


def walk_along(model: str, path: list[int]) -> State:
    """A state some steps away, as the path says."""
    made = machine(model)
    state = made.initial()[0][0].state
    for turn in path:
        steps = made.steps(state).steps
        if steps:
            state = steps[turn % len(steps)].target
    return state


@pytest.mark.parametrize("model", MODELS)
def test_least_image(model: str) -> None:
    """The key of the canonical state is the least of the keys of all images; it is its own canonical state."""

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.integers(0, 30), max_size=9))
    def check(path: list[int]) -> None:
        made = machine(model)
        state = walk_along(model, path)
        canonical = made.canonical(state)
        assert f"{made.key(canonical):032x}" == least_key(model, made.encoding(state))
        assert made.canonical(canonical) == canonical
        assert least_key(model, made.encoding(canonical)) == f"{made.key(canonical):032x}"

    check()


@pytest.mark.parametrize("model", ["nominal", "roles", "product", "returns"])
def test_images_have_the_same_future(model: str) -> None:
    """A state and its canonical image have the same steps up to renaming, in models that respect their symmetry."""

    @settings(max_examples=25, deadline=None)
    @given(st.lists(st.integers(0, 30), max_size=6))
    def check(path: list[int]) -> None:
        made = machine(model)
        state = walk_along(model, path)
        futures = [
            sorted(made.key(made.canonical(step.target)) for step in made.steps(s).steps)
            for s in (state, made.canonical(state))
        ]
        assert futures[0] == futures[1]

    check()


@pytest.mark.parametrize("engine", ["plain", "embedded"])
def test_reduction_with_and_without(engine: str) -> None:
    """States up to renaming, and all of them when symmetry is switched off."""
    text = """
        K = symmetric_values("k", 3)
        action Init: owner, waiting = None, set()
        atomic action Ask:
            key = oneof K if key not in waiting
            waiting.add(key)
        atomic action Grant:
            require owner == None
            key = oneof waiting
            waiting.remove(key)
            owner = key
        atomic action Free:
            require owner != None
            owner = None
    """
    # Subsets of waiting keys, with no owner, an owner that waits again, or one that does not.
    assert report_of(text, engine).states == 4 + 3 + 3
    assert report_of(text, engine, symmetry=False).states == 8 + 3 * 8


def test_reflection_halves() -> None:
    """Two clocks with reflection: only the distance counts."""
    text = """
        T = symmetry.interval(name="t", divergence=4, reflection={reflection})
        action Init:
            a = T.fresh()
            b = a
        atomic action A: a = a + 1
        atomic action B: b = b + 1
    """
    assert report_of(text.format(reflection=False)).states == 9
    assert report_of(text.format(reflection=True)).states == 5


def test_instances_that_are_alike_are_compared_where_they_are() -> None:
    """What else is in the state does not count for each pair of them."""
    held = "".join(f"    other.f{i} = {i}\n" for i in range(60))
    made = machine_of(
        f"symmetric role Node: pass\nrole Other: pass\naction Init:\n    nodes = set([Node() for i in range(24)])\n"
        f"    other = Other()\n{held}"
    )
    state = made.initial()[0][0].state
    compared = 0
    sum_of = made.images._sum

    def counted(*asked: Any) -> int:
        nonlocal compared
        compared += 1
        return sum_of(*asked)

    made.images._sum = counted  # type: ignore[method-assign]
    made.canonical(state)
    assert compared <= 2 * len(state.values) + 24 * 8
