"""Containers are read part by part: the answers are those of the engine that reads them whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.core.exploration import Exploration, Settings
from checker.core.limits import Limits
from checker.properties import properties_of
from checker.search.contract.protocol import Engine
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.engines.plain import PlainEngine
from checker.search.explore import explore
from checker.search.memo.division import SIZE, WHOLE, Divider, root_of
from checker.search.memo.heads import gone, whole_value
from fizz import load
from interpreter import Program, compile_module
from interpreter.state.state import UNBOUND, Slot
from interpreter.values.containers import SetValue
from interpreter.values.freeze import freeze
from interpreter.values.intern import Interner, Tag, add_keys
from tests.checker.comparing import compared

HERE = Path(__file__).parent
SLOT: Slot = ("heap", "x")


def answer(path: Path, engine: Engine) -> Exploration:
    return explored(compile_module(load(path)), engine, keep_going=True, limits=Limits(states=300))


def explored(program: Program, engine: Engine, **asked: Any) -> Exploration:
    """What an engine brings home."""
    return explore(engine, program, properties_of(program, None), Settings(**asked))


def calls_for(states: int, text: str) -> int:
    """How often the interpreter is called for a model that has so many states."""
    found = explored(compile_module(load("m.fizz", text=text)), EmbeddedEngine())
    assert found.states == states
    calls = found.stats["interpreter calls"]
    assert isinstance(calls, int)
    return calls


@pytest.mark.parametrize("path", sorted(HERE.glob("parts/*.fizz")), ids=lambda path: path.stem)
def test_parts_change_nothing(path: Path) -> None:
    """Rows and columns of parts give what whole containers give: counts, findings, paths, lassos."""
    plain = answer(path, PlainEngine())
    assert plain.states > 50
    for wide in (1, 30, 10**9):
        assert compared(answer(path, EmbeddedEngine(wide))) == compared(plain)


def test_a_member_is_read_alone() -> None:
    """A rule that looks at one member of a list of dicts is interpreted once per value of that member."""
    text = """
---
deadlock_detection: false
options: {max_actions: 100}
---
action Init:
    nodes = [{"n": 0, "m": {"k": 0}} for i in range(4)]
atomic action Count:
    i = oneof range(4)
    require nodes[i]["n"] < 3
    nodes[i]["n"] += 1
atomic action Deep:
    i = oneof range(4)
    nodes[i]["m"]["k"] = 1 - nodes[i]["m"]["k"]
"""
    calls = calls_for((4 * 2) ** 4, text)
    # One for each node and value of the member (4 of n, 2 of k), the same again after the try, and Init.
    assert calls <= 2 * 4 * (4 + 2) + 1


leaves = st.integers(0, 3) | st.sampled_from(["a", None, True])
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: ("list", items)),
        st.dictionaries(st.sampled_from(["k", 1, "l"]), inner, max_size=3).map(lambda d: ("dict", d)),
        st.dictionaries(st.sampled_from(["f", "g"]), inner, max_size=2).map(lambda d: ("record", d)),
    ),
    max_leaves=12,
)


def interned(interner: Interner, value: object) -> int:
    match value:
        case ("list", list(items)):
            return interner.intern(Tag.LIST, tuple(interned(interner, item) for item in items))
        case ("dict", dict(pairs)):
            found = [(interned(interner, key), interned(interner, item)) for key, item in pairs.items()]
            return interner.intern_pairs(Tag.DICT, found)
        case ("record", dict(fields)):
            members = [(str(name), interned(interner, item)) for name, item in fields.items()]
            return interner.intern_fields(Tag.RECORD, members)
        case None | bool():
            return interner.intern(Tag.NONE if value is None else Tag.BOOL, value)
        case int():
            return interner.intern(Tag.INT, value)
    return interner.intern(Tag.STRING, value)


@given(values)
def test_parts_make_up_the_whole(value: object) -> None:
    """A value divides into parts that are answers of `read`, make it up again, and add up to its part of the key."""
    interner = Interner()
    divider = Divider(interner)
    number = interned(interner, value)
    parts = dict(divider.parts(SLOT, number))
    assert all(divider.read(slot, number) == held and root_of(slot) == SLOT for slot, held in parts.items())
    assert whole_value(interner, SLOT, lambda slot: parts.get(slot, UNBOUND)) == number
    total = 0
    for slot, held in parts.items():
        total = add_keys(total, interner.part_sum("x" + "".join(slot[2:]), held))
    assert total == interner.part_sum("x", number)


@given(values, values, st.data())
def test_a_written_part(value: object, new: object, data: st.DataObject) -> None:
    """Writing a part changes that part, and what was below it, and nothing else."""
    interner = Interner()
    divider = Divider(interner)
    number, written = interned(interner, value), interned(interner, new)
    before = dict(divider.parts(SLOT, number))
    slot = data.draw(st.sampled_from(sorted(before, key=str)))
    after = dict(divider.parts(SLOT, divider.replaced(number, slot[2:], written)))
    expected = {part: held for part, held in before.items() if part[: len(slot)] != slot}
    assert after == {**expected, **dict(divider.parts(slot, written))}


scalars = st.sampled_from([0, 1, 2, 1.0, -0.0, 0.5, True, False, None, "1", "", b"1", float("nan"), float("inf")])
elements = st.recursive(scalars, lambda inner: st.tuples(inner, inner) | st.tuples(inner), max_leaves=3)
changes = st.lists(st.tuples(elements, st.booleans()), max_size=6)


@given(st.lists(elements, max_size=6), changes, elements)
def test_elements_of_sets(items: list[object], changed: list[tuple[object, bool]], wanted: object) -> None:
    """A set answers for each element, and takes and loses elements, as one that is looked at as a whole does."""
    interner = Interner()
    divider = Divider(interner)
    model = SetValue.of(items)
    number = freeze(model, interner)
    for item, there in changed:
        step = divider.element(freeze(item, interner))
        assert step is not None
        (model.add if there else model.discard)(item)
        number = divider.replaced(number, (step,), freeze(item, interner) if there else gone(interner))
        assert number == freeze(model, interner)
    step = divider.element(freeze(wanted, interner))
    assert (divider.read((*SLOT, str(step)), number) != UNBOUND) == model.holds(wanted)
    assert interner.payload(divider.read((*SLOT, SIZE), number)) == model.size()
    assert divider.read((*SLOT, WHOLE), number) == number
    assert dict(divider.parts(SLOT, number)) == {SLOT: number}


def test_a_set_is_asked_for_an_element() -> None:
    """A path that looks for one element, adds one or asks how many there are does not read the others."""
    text = """
---
deadlock_detection: false
options: {max_actions: 100}
---
action Init:
    names = ["a", "b", "c", "d", "e", "f", "g", "h"]
    heard = {name: set() for name in names}
    done = set()
atomic action Hear:
    name = oneof names
    heard["a"].add(name)
atomic action Do:
    name = oneof names
    require name in heard["a"] and name not in done
    done.add(name)
atomic action Undo:
    require len(done) == 8
    done.clear()
"""
    calls = calls_for(3**8, text)
    # One for each name to hear, three to do something, nine sizes, the same again by columns, and Init.
    assert calls <= 2 * (8 + 3 * 8 + 9) + 1
