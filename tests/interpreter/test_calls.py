"""Fizz calls: receivers, targets, arguments, defaults, recursion, what they yield and what they enable."""

from __future__ import annotations

import pytest

from fizz import FizzError
from tests.interpreter.running import ends_of, error_of, report_of, states_of

TARGETS = """
role R:
    action Init: self.x = 0
    func pair(k): return (k, k + 1)
    func nothing(): pass
action Init:
    r = R()
    nodes, table, rec = [r], {{}}, record(a=0)
    a, b, done = None, None, False
atomic action Go:
    require not done
    done = True
    i = 0
    {call}
    out = [a, b]
"""


@pytest.mark.parametrize(
    ("call", "place", "text"),
    [
        ("a = r.pair(1)", "a", "(1, 2)"),
        ("a, b = r.pair(1)", "b", "2"),
        ("[a, b] = nodes[0].pair(k=3)", "b", "4"),
        ("(a, (b, i)) = (r if i == 0 else None).pair((1, 2))", "a", None),
        ("a = b = r.pair(1)", "b", "(1, 2)"),
        ("r.y = r.pair(1)", "R#0.y", "(1, 2)"),
        ("nodes[i] = r.pair(1)", "nodes", "[(1, 2)]"),
        ('table["k"] = nodes[i].pair(*[5])', "table", '{"k": (5, 6)}'),
        ("rec.a, table[1] = r.pair(**{'k': 1})", "rec", "record(a = 1)"),
        ("a = r.nothing()", "a", "None"),
        ("a = {'r': r}['r'].pair(len(nodes))", "a", "(1, 2)"),
        ("local = r.pair(7)", "a", "None"),
    ],
)
def test_targets(call: str, place: str, text: str | None) -> None:
    """The result goes wherever an assignment could put it; receivers are any expression."""
    if text is None:
        assert error_of(TARGETS.format(call=call)).code == "R4"
        return
    (end,) = ends_of(TARGETS.format(call=call))
    assert end[place] == text


def test_parts_of_the_target_are_evaluated_when_the_call_is_done() -> None:
    """`table[k] = f()` evaluates k after the call, in the caller."""
    (end,) = ends_of("""
        action Init: table, k = {}, 0
        atomic func bump():
            k = 5
            return "v"
        atomic action Go:
            require k == 0
            table[k] = bump()
    """)
    assert end["table"] == '{5: "v"}'


def test_order_of_evaluation() -> None:
    """Receiver first, then arguments left to right."""
    (end,) = ends_of("""
        role R:
            action Init: self.x = 0
            func take(a, b, c): return [a, b, c]
        action Init:
            r, log, got = [R()], [1, 2, 3, 4], None
        atomic action Go:
            require got == None
            got = r[log.pop(0) - 1].take(log.pop(0), c=log.pop(0), b=log.pop(0))
    """)
    assert end["got"] == "[2, 4, 3]"


def test_defaults_are_evaluated_in_the_scope_of_the_callee() -> None:
    """They see constants, state variables, self and the parameters before them; never the caller's locals."""
    (end,) = ends_of("""
        BASE = 10
        role R:
            action Init: self.x = 1
            func f(a, b=a + BASE, c=b + self.x, d=n): return [a, b, c, d]
        action Init: r, n, got = R(), 100, None
        atomic action Go:
            require got == None
            a, b, d = 7, 8, 9
            got = r.f(1)
            got = [got, n]
    """)
    assert end["got"] == "[[1, 11, 12, 100], 100]"


def test_defaults_are_fresh_each_time() -> None:
    """A default list is a new one in every call."""
    (end,) = ends_of("""
        action Init: got = []
        atomic func f(a, b=[]):
            b.append(a)
            return b
        atomic action Go:
            require got == []
            x = f(1)
            y = f(2)
            got = [x, y]
    """)
    assert end["got"] == "[[1], [2]]"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ("", "L26", "missing"),
        ("1, 2, 3, 4", "L26", "too many"),
        ("1, 2, z=3", "L26", "unexpected 'z'"),
        ("1, a=2", "L26", "'a' is given twice"),
        ("*[1, 2, 3, 4]", "R4", "takes 3 positional arguments, got 4"),
        ("**{'b': 1}", "R4", "misses the argument 'a'"),
        ("1, **{'a': 1}", "R4", "'a'"),
    ],
)
def test_wrong_arguments(arguments: str, code: str, said: str) -> None:
    """Wrong names or numbers are errors: at load time, or at run time where the text does not show them."""
    text = f"""
        role R:
            action Init: self.x = 0
            func f(a, b=1, c=2): pass
        action Init: rs = [R()]
        atomic action Go:
            rs[0].f({arguments})
    """
    try:
        error = error_of(text)
        found = error.code, error.text
    except FizzError as refused:
        found = refused.diagnostics[0].code, refused.diagnostics[0].text
    assert found[0] == code and said in found[1]


def test_dynamic_dispatch() -> None:
    """What a call is depends on the value of the receiver: a func of one role, a method of a list."""
    (end,) = ends_of("""
        role A:
            action Init: self.x = 0
            atomic func append(v): self.x = v
        role B:
            action Init: self.x = 0
            atomic func append(v): self.x = -v
        action Init: all_of, plain, n = [A(), B()], [], 0
        atomic action Go:
            require n == 0
            for it in [all_of[0], all_of[1], plain]:
                it.append(3)
            n = 1
    """)
    assert (end["A#0.x"], end["B#0.x"], end["plain"]) == ("3", "-3", "[3]")


def test_calls_do_not_yield_and_do_not_enable() -> None:
    """The callee's first statements belong to the step; a call alone is no step."""
    states = states_of(
        """
        role R:
            action Init: self.x = 0
            action Go:
                require self.x == 0
                self.set(1)
                self.set(2)
            action Never:
                self.look()
            func set(v):
                self.x = v
            func look():
                require self.x == 99
                self.x = 0
        action Init: r = R()
    """,
        **{"options.max_concurrent_actions": "1"},
    )
    assert [state["R#0.x"] for state in states] == ["0", "1", "2"]


def test_a_false_require_in_a_callee_aborts_the_step() -> None:
    """Nothing of the step happens; a thread waits there and goes on when it becomes true."""
    states = states_of("""
        action Init: x, open = 0, False
        atomic func guard():
            require open
        atomic action Go:
            require x == 0
            x = 1
            guard()
        atomic action Open:
            require not open
            open = True
    """)
    assert [(s["x"], s["open"]) for s in states] == [("0", "False"), ("0", "True"), ("1", "True")]


def test_recursion() -> None:
    """Funcs may call themselves, to a depth of 200 frames."""
    text = """
        action Init: got = None
        atomic func sum_to(n):
            if n == 0: return 0
            rest = sum_to(n - 1)
            return n + rest
        atomic action Go:
            require got == None
            got = sum_to({n})
    """
    (end,) = ends_of(text.format(n=198))
    assert end["got"] == "19701"
    error = error_of(text.format(n=199))
    assert error.code == "R16" and error.calls[0] == "in func sum_to, called at m.fizz:8"
    assert len(error.calls) == 199 and error.calls[-1] == "in func sum_to, called at m.fizz:12"


def test_serial_calls_outside_a_role() -> None:
    """An instance without `self` in serial code: seen at load time, or when it runs."""
    text = """
        role R:
            action Init: self.x = 0
            func f(): self.x = 1
        action Init:
            r = R()
            r.f()
        {flow}action Go:
            pass
            anybody = [r]
            anybody[0].f()
    """
    assert report_of(text.format(flow="atomic ")).states == 1
    with pytest.raises(FizzError) as refused:
        report_of(text.format(flow=""))
    assert refused.value.diagnostics[0].code == "L25"
    # With the name of a method of lists it may be no fizz call, so it is decided at run time.
    hidden = text.format(flow="").replace("func f()", "func append()").replace(".f()", ".append()")
    assert error_of(hidden).code == "L25"


def test_return_from_nested_blocks() -> None:
    """A return leaves loops and blocks behind; the caller goes on after the call."""
    (end,) = ends_of("""
        action Init: got = None
        atomic func find(rows, wanted):
            for row in rows:
                for item in row:
                    if item == wanted:
                        atomic:
                            return (row, item)
            return None
        atomic action Go:
            require got == None
            first = find([[1], [2, 3]], 3)
            second = find([[1]], 9)
            got = [first, second]
    """)
    assert end["got"] == "[([2, 3], 3), None]"


def test_star_arguments_of_helpers() -> None:
    """`*` and `**` in calls and in the parameters of helpers."""
    (end,) = ends_of("""
        def f(a, b=0, *rest, **more): return [a, rest, b, sorted(more.items())]
        action Init: got = None
        atomic action Go:
            require got == None
            got = [f(1), f(*[1, 2, 3]), f(b=1, **{"a": 2, "z": 3})]
    """)
    assert end["got"] == '[[1, (), 0, []], [1, (3,), 2, []], [2, (), 1, [("z", 3)]]]'
