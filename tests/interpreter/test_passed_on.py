"""What the turns of a loop pass on, by its text; doubtful loops pass on nothing that is known."""

from __future__ import annotations

import pytest

from fizz import load
from interpreter import compile_module
from interpreter.compile import program as p
from interpreter.compile.passed_on import PassedOn, passed_on
from interpreter.compile.statements import instructions

MODEL = """\
action Init: n, xs = 0, set([1, 2, 3])
def f(x): return x
always assertion Holds:
{body}
"""


def of(body: str, parameters: frozenset[str] = frozenset()) -> PassedOn | None:
    """What the first loop of an assertion passes on."""
    text = MODEL.format(body="\n".join(f"    {line}" for line in body.splitlines()))
    program = compile_module(load("m.fizz", text=text))
    routine = program.routines[program.assertions[0].routine].body
    assert isinstance(routine, p.Sequence)
    loop = next(one.body for one in instructions(routine) if isinstance(one, p.Loop))
    assert isinstance(loop, p.ForLoop)
    builtins = {"len", "list", "set", "dict", "max", "sum", "sorted"}
    return passed_on(loop, routine, parameters, frozenset(program.state_variables), builtins.__contains__)


@pytest.mark.parametrize(
    ("body", "names", "own"),
    [
        ("c = 0\nfor x in xs: c += x\nreturn c", "c", "c"),
        ("last = None\nfor x in xs: last = x\nreturn last", "last", ""),
        ("for x in xs: pass\nreturn x > 1", "x", ""),
        ("for x in xs:\n    y = x\n    z = y\nreturn n > 1", "", ""),
        ("for x in xs:\n    if x > 1: y = x\n    z = y\nreturn n > 1", "y", ""),
        ("l = []\nfor x in xs: l.append(x)\nreturn len(l) > 1", "l", "l"),
        ("l = list(xs)\nfor x in xs: l = l + [x]\nif l: return l[0]\nreturn l", "l", "l"),
        (
            "d = {}\nfor x in xs:\n    d[x] = d.get(x, 0) + 1\nfor k in d:\n    if d[k] > 1: return True\nreturn 1",
            "d",
            "d",
        ),
        ("d = {}\nfor x in xs:\n    d[x] = 1\n    d[x] += 1\nreturn d[1]", "d", "d"),
        ("l = []\nm = l\nfor x in xs:\n    m = x\nreturn m", "m", ""),
        ("c = 0\nfor x in xs:\n    for y in xs:\n        if y == x: c += 1\nreturn c", "c", "c"),
        ("a, b = 0, 1\nfor x in xs: a, b = b, x\nreturn a", "a b", ""),
        ("s = set()\nfor x in xs: s = s | set([x])\nreturn 3 in s and not s", "s", "s"),
    ],
)
def test_names(body: str, names: str, own: str) -> None:
    """Names that are read after the loop or before a turn binds them, and containers that have no other name."""
    assert of(body) == PassedOn(tuple(names.split()), frozenset(own.split()))


@pytest.mark.parametrize(
    "body",
    [
        "l = []\nm = l\nfor x in xs: l.append(x)\nreturn m",
        "l = []\nm = [l]\nfor x in xs: l.append(x)\nreturn m",
        "l = []\nm = max(l, [1])\nfor x in xs: l.append(x)\nreturn m",
        "l = []\nm = l or 1\nfor x in xs: l.append(x)\nreturn m",
        "l = []\nm = f(l)\nfor x in xs: l.append(x)\nreturn m",
        "l = []\ng = l.append\nfor x in xs: l.append(x)\nreturn l",
        "l = []\ng = lambda: len(l)\nfor x in xs: l.append(x)\nreturn g()",
        "l = f([])\nfor x in xs: l.append(x)\nreturn l",
        "l = m = []\nfor x in xs: l.append(x)\nreturn m",
        "l, m = [], 1\nfor x in xs: l.append(x)\nreturn m",
        "for l in [[1]]:\n    l.append(1)\nreturn 1",
        "d = {1: []}\nfor x in xs: d[1].append(x)\nreturn d",
        "d = record(a=1)\nfor x in xs: d.a = x\nreturn d",
        "l = []\nfor x in xs: y = [g(x) for g in [l.append]]\nreturn l",
    ],
)
def test_doubtful(body: str) -> None:
    """A container that is changed may have another name."""
    assert of(body) is None


def test_parameters() -> None:
    """What a parameter is bound to has a name elsewhere."""
    body = "l = []\nfor x in xs: l.append(x)\nreturn l"
    assert of(body) is not None
    assert of(body, frozenset({"l"})) is None
