"""Sharing: assignments copy references, sharing lasts, and it is part of what a state is."""

from __future__ import annotations

import pytest

from tests.interpreter.running import count, ends_of, machine_of, states_of, walk


def only(found: list[dict[str, str]]) -> dict[str, str]:
    assert len(found) == 1, found
    return found[0]


def test_two_variables() -> None:
    """`y = x` makes two variables share one list, in all later states."""
    found = states_of("""
        action Init:
            x = [1]
            y = x
        atomic action Go:
            require len(y) < 3
            x.append(0)
    """)
    assert [state["y"] for state in found] == ["[1]", "[1, 0]", "[1, 0, 0]"]
    assert all(state["x"] == state["y"] for state in found)


def test_sharing_is_part_of_identity() -> None:
    """Two equal lists and one list twice are different states; sharing that ends is forgotten."""
    text = """
        action Init:
            x = [1]
            y = x
        atomic action Split:
            y = list(x)
        atomic action Join:
            y = x
    """
    machine = machine_of(text)
    found = list(walk(machine))
    assert len(found) == 2
    assert machine.describe(found[0][0]) == machine.describe(found[1][0])
    assert machine.encoding(found[0][0]).startswith('{"heap":{"x":[1],"y":{"$ref":"x"}}')
    assert machine.encoding(found[1][0]).startswith('{"heap":{"x":[1],"y":[1]}')


def test_cells_do_not_depend_on_history() -> None:
    """Two pairs of sharing variables are numbered by where they stand, not by when they came to share."""
    assert (
        count("""
        action Init:
            a, b = [], []
            c, d = [], []
        atomic action First:
            b = a
        atomic action Second:
            d = c
    """)
        == 4
    )


def test_local_and_element() -> None:
    """A local keeps hold of an element across a yield."""
    end = only(
        ends_of(
            """
        action Init: nodes = [{"v": 0}, {"v": 0}]
        action Go:
            require nodes[0]["v"] == 0 and nodes[1]["v"] == 0
            n = nodes[0]
            n["v"] = 2
            n["v"] += 1
    """,
            **{"options.max_actions": "1", "options.max_concurrent_actions": "1"},
        )
    )
    assert end == {"nodes": '[{"v": 3}, {"v": 0}]'}


def test_element_replaced_under_a_local() -> None:
    """A local holds the container itself, not the slot where it was found."""
    ends = ends_of("""
        action Init: box, done = [[0]], False
        action Go:
            require not done
            done = True
            inner = box[0]
            box[0] = [7]
            inner.append(1)
            box.append(inner)
    """)
    assert only(ends)["box"] == "[[7], [0, 1]]"


def test_field_and_argument() -> None:
    """An argument is the caller's object: what the callee does to it is seen through the field."""
    ends = ends_of("""
        role Box:
            action Init: self.items = []
            func fill(into):
                into.append(1)
                into.append(2)
        role User:
            action Init: self.done = False
            action Put:
                require not self.done
                self.done = True
                box.fill(box.items)
        action Init:
            box = Box()
            user = User()
    """)
    assert {end["Box#0.items"] for end in ends} == {"[1, 2]"}


def test_two_threads() -> None:
    """Two threads hold one list between them, which no variable holds any more."""
    ends = ends_of("""
        action Init: shared, takers, seen = [], 0, []
        action Take:
            require takers < 2
            atomic:
                mine = shared
                takers += 1
                if takers == 2: shared = None
            mine.append(takers)
            seen.append(len(mine))
    """)
    assert {tuple(sorted(end["seen"])) for end in ends} <= {tuple(sorted(text)) for text in ("[1, 2]", "[2, 2]")}
    assert {end["seen"] for end in ends} == {"[1, 2]", "[2, 2]"}


def test_threads_that_share_and_threads_that_do_not() -> None:
    """Threads with equal locals differ if one of them shares its list with a variable."""
    assert count("""
        action Init: x, n = [], 0
        action Go:
            require n < 2
            n += 1
            mine = x if n == 1 else []
            mine.append(1)
    """) > count("""
        action Init: x, n = [], 0
        action Go:
            require n < 2
            n += 1
            mine = []
            mine.append(1)
    """)


def test_container_in_itself() -> None:
    """A list may contain itself; it shows as `...` and keeps its identity."""
    found = states_of("""
        action Init:
            x = [0]
            x.append(x)
        atomic action Go:
            require x[0] < 2
            x[1][1][0] += 1
    """)
    assert [state["x"] for state in found] == ["[0, ...]", "[1, ...]", "[2, ...]"]


def test_two_that_contain_each_other() -> None:
    """Mutual references are one structure, for any order of the walk."""
    assert (
        count("""
        action Init:
            a, b = {"name": "a"}, {"name": "b"}
            a["other"] = b
            b["other"] = a
        atomic action Swap:
            a, b = b, a
    """)
        == 2
    )


@pytest.mark.parametrize("holder", ["struct(a = x)", "(x,)", "record(a = (x, 1))", "[struct(a = [x])]", "{1: x}"])
def test_shared_through(holder: str) -> None:
    """Structs, tuples and containers never hide sharing."""
    found = states_of(f"""
        action Init:
            x = [0]
            h = {holder}
        atomic action Go:
            require len(x) < 2
            x.append(1)
    """)
    assert [("[0, 1]" in state["h"]) for state in found] == [False, True]


def test_shared_by_genericset_and_bag() -> None:
    """A mutable element of a bag is the object that was added."""
    found = states_of("""
        action Init:
            x = [0]
            b = bag([x])
        atomic action Go:
            require len(x) < 2
            x.append(1)
    """)
    assert [state["b"] for state in found] == ["bag([[0]])", "bag([[0, 1]])"]


def test_deepcopy() -> None:
    """deepcopy makes new containers that share with each other as before, and keeps role instances."""
    end = only(
        ends_of("""
        role R:
            action Init: self.v = 0
        action Init:
            r = R()
            inner = [r]
            x = [inner, inner]
            y = deepcopy(x)
        atomic action Go:
            require r.v == 0
            r.v = 1
            y[0].append(2)
            x[0].append(3)
    """)
    )
    assert (end["inner"], end["x"]) == ("[R#0, 3]", "[[R#0, 3], [R#0, 3]]")
    assert (end["y"], end["R#0.v"]) == ("[[R#0, 2], [R#0, 2]]", "1")


def test_constants_are_copied() -> None:
    """A state variable that is given a constant's value holds a copy from the next yield on, each its own."""
    end = only(
        ends_of("""
        K = [1, [2]]
        action Init:
            x = K
            y = K
            z = K[1]
        atomic action Go:
            require len(x) == 2
            x.append(3)
            x[1].append(4)
    """)
    )
    assert end == {"x": "[1, [2, 4], 3]", "y": "[1, [2]]", "z": "[2]"}


def test_loop_elements_are_shared() -> None:
    """The elements that a loop has still to visit are the objects themselves."""
    end = only(
        ends_of("""
        action Init: rows, done = [[0], [0]], False
        action Go:
            require not done
            done = True
            for row in rows:
                rows[1].append(5)
                row.append(1)
    """)
    )
    assert end["rows"] == "[[0, 1], [0, 5, 5, 1]]"


def test_messages_share() -> None:
    """An argument of a message is the object that was sent; what happens to it before the delivery is seen."""
    ends = ends_of("""
        Net = Channel()
        role Sink:
            action Init: self.got = None
            func put(v):
                self.got = v
        action Init:
            sink = Sink()
            out = Net.stub(sink)
            data, sent = [1], False
        atomic action Send:
            require not sent
            sent = True
            out.put(data)
            data.append(2)
        atomic action Change:
            require sink.got != None and len(data) < 3
            data.append(3)
    """)
    assert {end["Sink#0.got"] for end in ends} == {"[1, 2, 3]"}


def test_reset_values_are_copies() -> None:
    """A reset value is a copy of its own, and so is what a crash sets."""
    found = {
        (s["S#0.c"], s["S#0.d"])
        for s in states_of("""
        ---
        deadlock_detection: false
        ---
        @state(ephemeral=["c"])
        role S:
            action Init:
                self.c = [0]
                self.d = self.c
            atomic action Add:
                require len(self.c) < 2 and len(self.d) < 3
                self.c.append(1)
        action Init: s = S()
    """)
    }
    assert found == {("[0]", "[0]"), ("[0, 1]", "[0, 1]"), ("[0]", "[0, 1]"), ("[0, 1]", "[0]")}


def test_alias_within_a_step() -> None:
    """Inside one step too, two names of one object are one object."""
    end = only(
        ends_of("""
        action Init: x, y, done = [[]], 0, False
        atomic action Go:
            require not done
            done = True
            a = x[0]
            b = x[0]
            a.append(1)
            y = len(b)
            a = [9]
            b.append(2)
    """)
    )
    assert (end["x"], end["y"]) == ("[[1, 2]]", "1")


def test_equal_alternatives_that_are_two_objects() -> None:
    """Equal containers that are not one object are two paths with one name: the step changes the one it takes."""
    machine = machine_of("""
        action Init: x = [[], []]
        atomic action Go:
            require x == [[], []]
            item = oneof x
            item.append(1)
    """)
    first = next(iter(walk(machine)))
    assert [step.name for step in first[1]] == ["Go[Any:item=[]]", "Go[Any:item=[]]"]
    assert [dict(machine.describe(step.target))["x"] for step in first[1]] == ["[[1], []]", "[[], [1]]"]
