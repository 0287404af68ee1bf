"""What rules that are run directly leave to the interpreter: mistakes, what is out of reach, and what is too much."""

from __future__ import annotations

import pytest

import fizz
from fizz import FizzError
from interpreter import Machine, compile_module
from interpreter.direct.rules import DirectRules
from interpreter.state.step import Failure, Rule, StepKind
from tests.direct.bodies import agree, model_with
from tests.direct.differential import compare_text
from tests.interpreter.test_sandbox import REACHING_OUT

ERRORS = [
    "x = 1 // 0",
    "x = xs[5]",
    "x = n['z']",
    "x = n.pop()",
    "x = 1\nx.extend(2)",
    "out = (1,)\nout.extend((2,))",
    "x = out.f",
    "out = (1, 1)\nx = out.count(1)",
    "out = (1, 2)\nx = out.index(2)",
    "x = 1 < 'a'",
    "xs.remove(9)",
    "a, b, c = xs",
    "if x > 5: y = 1\nx = y",
    "out = {[]: 1}",
    "x = max([])",
    "out = 'a' + 1",
    "for i in x: pass",
    "x = LIMIT.z",
    "LIST.append(1)",
    "a = LIST\na.append(1)",
    "out = [x for a in xs for b in b]",
    "out = [b for a in xs for b in [a] if b > 1 for b in [b]]",
    "1 .real",
]


@pytest.mark.parametrize("body", ERRORS)
def test_errors(body: str) -> None:
    """Mistakes are the interpreter's: there is no result."""
    try:
        agree(compare_text(model_with(body), 5))
    except FizzError:
        return


@pytest.mark.parametrize("expression", REACHING_OUT)
def test_nothing_is_within_reach(expression: str) -> None:
    """What no model may reach has no result: the interpreter refuses it."""
    try:
        program = compile_module(fizz.load("m.fizz", text=model_with(f"out = {expression}")))
    except FizzError:
        return
    machine = Machine(program)
    rule = Rule(StepKind.START, program.actions[0].routine)
    state = machine.initial()[0][0].state
    found = DirectRules(machine).results(rule, state)
    wanted = [path.result for path in machine.paths(rule, machine.view(state))]
    if any(isinstance(one, Failure) for one in wanted):
        assert found is None


LIMITS = {
    "charges": (1_000, "for i in range(400): x += 1"),
    "elements": (100, "out = [0 for i in range(101)]"),
    "bits": (16, "x = 40000 * 2"),
    "held": (1_000, "for i in range(9000): out = [1, 2, 3]"),
}


@pytest.mark.parametrize("limit", LIMITS)
def test_limits(limit: str) -> None:
    """A rule that exceeds a limit has no result."""
    most, body = LIMITS[limit]
    text = model_with(body).replace('{"deadlock', f'{{"options": {{"limits": {{"{limit}": {most}}}}}, "deadlock')
    program = compile_module(fizz.load("m.fizz", text=text))
    machine = Machine(program)
    rule = Rule(StepKind.START, program.actions[0].routine)
    state = machine.initial()[0][0].state
    assert isinstance(next(machine.paths(rule, machine.view(state))).result, Failure)
    assert DirectRules(machine).results(rule, state) is None


@pytest.mark.parametrize(
    "body",
    [
        "while True: x = 1",
        "out = [0 for a in range(1000) for b in range(1000)]",
        "out = [a for a in range(1000000000)]",
        "a = [1]\nfor i in range(40): a = a + a",
        "a = 'x'\nfor i in range(40): a = a + a",
        "x = len(range(1 << 100))",
        "a = []\nfor i in range(300): a = [a]",
        "\n".join(["oneof:\n    x = 1\n    x = 2"] * 18),
    ],
)
def test_endless(body: str) -> None:
    """A rule that does too much is left to the interpreter after a while."""
    program = compile_module(fizz.load("m.fizz", text=model_with(body)))
    machine = Machine(program)
    state = machine.initial()[0][0].state
    assert DirectRules(machine).results(Rule(StepKind.START, program.actions[0].routine), state) is None


def test_deep_texts() -> None:
    """What Python does not nest so deeply is left to the interpreter."""
    lines = [f"{'    ' * depth}for i{depth} in [1]:" for depth in range(25)]
    agree(compare_text(model_with("\n".join([*lines, "    " * 25 + "x = 1"])), 3))
    agree(compare_text(model_with("x = " + "(" * 20 + "x" + " + 1)" * 20), 3))


@pytest.mark.parametrize(
    "body",
    [
        "oneof:\n" + "\n".join(f"    x = {number}" for number in range(3_000)),
        "\n".join([*(f"v{one} = 1" for one in range(150)), "oneof:", *(f"    v{one} = 2" for one in range(150))]),
    ],
    ids=["a long text", "many variables at many ends"],
)
def test_long_texts(body: str) -> None:
    """What Python would compile for seconds, without an end that can be asked for, is left to the interpreter."""
    variables = "".join(f"    v{one} = 0\n" for one in range(150))
    text = f"action Init:\n    x = 0\n{variables}atomic action A:\n" + "\n".join(
        "    " + line for line in body.splitlines()
    )
    program = compile_module(fizz.load("m.fizz", text=text))
    rules = DirectRules(Machine(program))
    assert not rules.supports(Rule(StepKind.START, program.actions[0].routine))
    assert rules.reasons == {"A": "too long"}
