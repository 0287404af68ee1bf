"""Loops of assertions: which have independent iterations, and that engines that ask these one by one agree."""

from __future__ import annotations

from itertools import product

import pytest

from checker.core.exploration import Settings
from checker.search.memo.independence import independent_loops
from fizz import load
from interpreter import compile_module
from interpreter.compile.independent_turns import MUTATORS
from interpreter.library import BUILTINS
from interpreter.library.attributes import METHODS, get_attribute
from interpreter.values.container import Container
from interpreter.values.containers import FrozenSetValue, ListValue
from interpreter.values.problem import ModelMistake
from tests.random.laws import reports

MODEL = """
action Init: n, xs = 0, [1, 2, 3]
atomic action Go: n = (n + 1) % 3
PURE, PUSH = lambda l: len(l), {lambda_}
def pure(l): return len(l)
def push(l): {push}
always assertion Bound:
    l = []
    {before}
    for x in xs:
        {body}
    return True
"""
DEPENDENT = {
    "changed by a method that is a value": "y = g(x); if len(l) > 2: return False",
    "changed in a comprehension": "y = [f(x) for f in [l.append]]; if len(l) > 2: return False",
    "changed by a lambda of a constant": "y = PUSH(l); if len(l) > 2: return False",
    "changed by a lambda of its own": "y = g(); if len(l) > 2: return False",
    "changed by a lambda in a helper": "y = push(l); if len(l) > 2: return False",
    "changed by a method that a helper passes on": "y = push(l); if len(l) > 2: return False",
    "a variable of an inner loop": "if x == 3 and y == 5: return False; for y in [x, 5]: pass",
    "a variable of an inner loop without elements": "for y in [5][x - 1:]: pass; if x > 1 and y == 5: return False",
    "a name bound in a branch": "if x == 1: y = 5; if x > 1 and y == 5: return False",
    "a name bound before": "y = y + x; if y > 3: return False",
    "left early": "if n == 2 and x == 2: break; if n + x > 3: return False",
}
BEFORE = {
    "changed by a method that is a value": "g = l.append",
    "changed by a lambda of its own": "g = lambda: l.append(1)",
    "a name bound before": "y = 0",
}
PUSH = {
    "changed by a lambda in a helper": "return (lambda: l.append(1))()",
    "changed by a method that a helper passes on": "return [f(1) for f in [l.append]]",
}
LAMBDA = {"changed by a lambda of a constant": "lambda l: l.append(1)"}
INDEPENDENT = {
    "a condition": "if n + x > 4: return False",
    "a name of its own": "y = n + x; if y > 4: return False",
    "pure functions": "y = n + x + PURE(l) + pure(l); if y > 4: return False",
    "an inner loop": "for y in [x, 5]:\n            if y + n > 6: return False",
}


def model(case: str) -> str:
    """The model of a case: statements of the loop are divided by `;`."""
    body = "\n        ".join({**DEPENDENT, **INDEPENDENT}[case].split("; "))
    return MODEL.format(
        lambda_=LAMBDA.get(case, "lambda l: 1"),
        push=PUSH.get(case, "return 1"),
        before=BEFORE.get(case, "pass"),
        body=body,
    )


@pytest.mark.parametrize("case", [*DEPENDENT, *INDEPENDENT])
def test_engines_agree(case: str) -> None:
    """Also where iterations pass a value on in an unusual way."""
    found = reports(model(case), Settings(keep_going=True))
    plain = found.pop("plain")
    assert plain.error is None
    assert plain.verdict == "failed"
    for engine, report in found.items():
        assert report == plain, engine


@pytest.mark.parametrize("case", [*DEPENDENT, *INDEPENDENT])
def test_what_is_independent(case: str) -> None:
    """The loop over `xs`, which is the first one."""
    program = compile_module(load("m.fizz", text=model(case)))
    routine = program.routines[program.assertions[0].routine]
    outer = min(loop.number for loop in routine.scopes[1:])
    assert ((routine.number, outer) in independent_loops(program)) == (case in INDEPENDENT)


def frozen(kind: str) -> Container | FrozenSetValue:
    """A constant with two elements; methods that would change it are refused with R7. A frozenset has none of them."""
    items = ListValue([(1, 2), (3, 4)])
    made = items if kind == "list" else BUILTINS[kind].call((items,), {})  # type: ignore[attr-defined]
    assert isinstance(made, Container | FrozenSetValue)
    assert made.kind == kind
    if isinstance(made, Container):
        made.frozen = True
    return made


def refused(kind: str, name: str, arguments: tuple[object, ...]) -> bool:
    """Whether a call of a method on a constant is refused because it would change it."""
    try:
        get_attribute(frozen(kind), name).call(arguments, {})  # type: ignore[attr-defined]
    except ModelMistake as problem:
        return problem.code == "R7"
    return False


def test_all_methods_that_change_their_receiver_are_known() -> None:
    """Every method of every kind of container, called with what it may take."""
    values = (0, (1, 2), ListValue([(5, 6)]))
    calls = [arguments for count in range(3) for arguments in product(values, repeat=count)]
    methods = [(kind, name) for kind, table in METHODS.items() if kind != "string" for name in table]
    changing = {name for kind, name in methods if any(refused(kind, name, arguments) for arguments in calls)}
    assert changing == MUTATORS
    assert not MUTATORS & METHODS["frozenset"].keys()
