"""Paths that are continued from their choices, compared with paths that are each run from the beginning."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import fizz
from fizz import FizzError
from interpreter import Machine, compile_module
from interpreter.execute.execution import Execution
from interpreter.execute.view import View
from interpreter.state.step import ExecutionPath, Failure, ModelError, Result, Rule, StepKind, ends_step
from tests.direct.programs import model
from tests.random.laws import machine_of, walk
from tests.random.programs import program
from tests.random.source import seeded
from tests.sample import one_in

INITS = {
    "a list of lists": "x = oneof [list(p) for p in itertools.product([0, 1], repeat=3)]\nx.append(7)",
    "lists that share a list": "y = [0]\nxs = [[y, [1]], [y, [2]], [[3]]]\na = oneof xs\na[0].append(len(y))",
    "new lists that share a list": "a = oneof shared()\na[0].append(9)\nb = oneof [a, a[0]]\nb.append(8)",
    "the same list twice": "a = oneof twice()\na.append(1)",
    "in turns": "xs = []\nfor i in [0, 1]:\n    k = oneof [0, 1]\n    xs.append(k)\n    if k: k = oneof [[1], xs]",
    "a choice in a slot": "x = {'a': [1]}\nx['a'] = oneof [x['a'], [2], 3]\ny = oneof x\nx[y] = [y]",
    "a block": "x = []\noneof:\n    x.append(1)\n    y = oneof x\n    x = [x]\nz = oneof [x, 1]",
    "a choice for each": "x = []\noneof a, b in [(1, [2]), (3, [])]:\n    b.append(a)\n    x.append(b)\nx.append(1)",
    "nothing to choose from": "x = oneof [0, 1]\ny = oneof list(range(x))",
    "failures": "x = oneof [0, 1, 2]\ny = [5][x - 1]\nz = oneof [1 // y - 0, 2]",
    "conditions": "x = oneof range(5) if x % 2 == 0\ny = oneof [x, 2]",
    "a change while choosing": "x = [0]\ny = oneof grow(x)\nx.append(y)\nz = oneof grow(x)",
    "fair": "x = fair oneof [0, 1]\ny = fair oneof [x, 2]",
    "roles": "r = oneof [0, 1]\na = Node(k=r)\nb = Node(k=2)\nc = oneof [a, b]\nc.n.append(1)",
    "values of a domain": "a = D.fresh()\nb = oneof [D.fresh(), a]\nc = oneof D.choices()",
    "new values in one statement": "a = {}\na[D.fresh()] = oneof [D.fresh(), 1, D.fresh()]\nb = oneof [D.fresh(), 2]",
    "funcs": "x = pair(oneof_of=[1, 2])\ny = oneof [x, 3]",
    "parallel": "x = []\nparallel:\n    x.append(1)\n    x.append(2)\nparallel for i in [3, 4]:\n    x.append(i)",
}  # fmt: skip
HEAD = """\
---
{"deadlock_detection": false}
---
D = symmetry.nominal(name="v", limit=4)
def shared():
    y = [0]
    return [[y], [y, 1], [[2]]]
def twice():
    y = [0]
    return [y, y, [0]]
def grow(x):
    x.append(len(x))
    return x
atomic func pair(oneof_of):
    a = oneof oneof_of
    return [a, a]
role Node:
    action Init:
        n = oneof [self.k, 5]
        self.n = [n]
atomic action Rest: pass
action Init:
"""


def replayed(machine: Machine, rule: Rule, view: View, most: int = 4_000) -> Iterator[ExecutionPath]:
    """All paths of a rule, each run from the beginning."""
    choices: tuple[int, ...] | None = ()
    for _ in range(most):
        assert choices is not None
        path = machine.run(rule, view, choices, noted=False)
        yield path
        choices = path.next_choices()
        if choices is None or ends_step(path.result):
            return


def shown(path: ExecutionPath) -> object:
    """All of a path, with what an error says."""
    result: Result = path.result
    if isinstance(result, Failure):
        error = result.error
        return path.events, (error.code, str(error), error.span, error.hint, error.calls), result.choices, result.lines
    return path.events, result


def check(machine: Machine, rule: Rule, view: View) -> int:
    """Raise if there is a difference; the number of paths."""
    wanted = [shown(path) for path in replayed(machine, rule, view)]
    found = [shown(path) for path in machine.branched(rule, view)]
    assert found == wanted
    return len(found)


@pytest.mark.parametrize("name", INITS)
def test_init(name: str) -> None:
    """Choices, containers that the paths change, new instances and values, failures."""
    body = "\n".join("    " + line for line in INITS[name].split("\n"))
    try:
        compiled = compile_module(fizz.load("m.fizz", text=f"{HEAD}{body}\n"))
    except FizzError as error:
        raise AssertionError(error) from None
    machine = Machine(compiled)
    assert compiled.init is not None
    rule = Rule(StepKind.INIT, compiled.init)
    assert check(machine, rule, machine.view(machine.transitions.empty)) > 1


def check_all(machine: Machine, states: int) -> int:
    """Every rule in some states; the number of paths."""
    found = 0
    init = machine.program.init
    if init is not None:
        found += check(machine, Rule(StepKind.INIT, init), machine.view(machine.transitions.empty))
    for _, state in walk(machine, states):
        for candidate in machine.candidates(state, limits=False):
            if candidate.rule.kind is not StepKind.CRASH_ROLE and not machine.together(candidate.rule):
                found += check(machine, candidate.rule, machine.view(state))
    return found


@pytest.mark.parametrize("block", one_in(4, range(4)))
def test_random_models(block: int) -> None:
    """Models that are full of second names, containers in containers, and choices."""
    found = 0
    for seed in range(24 * block, 24 * block + 24):
        try:
            machine = machine_of(model(seed))
        except FizzError:
            continue
        found += 0 if machine is None else check_all(machine, 6)
    assert found > 180


@pytest.mark.parametrize("block", range(4))
def test_random_programs(block: int) -> None:
    """Programs with all of the language."""
    found = 0
    for seed in range(24 * block, 24 * block + 24):
        machine = machine_of(program(seeded(seed)))
        try:
            found += 0 if machine is None else check_all(machine, 6)
        except ModelError:
            continue
    assert found > 180


def test_what_paths_have_in_common_is_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as many alternatives, twice as many statements: not four times."""
    counted = [0]
    execute = Execution._execute

    def counting(self: Execution, *rest: object) -> bool:
        counted[0] += 1
        return execute(self, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Execution, "_execute", counting)
    for most in (100, 200):
        counted[0] = 0
        text = f"action Init:\n    a = [0]\n    b = oneof [[i] for i in range({most})]\n    c = oneof [0, 1]\n"
        machine = machine_of(f"{text}atomic action Rest: pass\n")
        assert machine is not None
        assert len(machine.initial()[0]) == 2 * most
        assert counted[0] == 2 + most


def test_too_many() -> None:
    """After the most paths there is one failure."""

    class Few(Machine):
        most_paths = 5

    machine = Few(compile_module(fizz.load("m.fizz", text="action Init:\n    a = oneof range(6)\n")))
    states, failures = machine.initial()
    assert len(states) == 5 and [one.error.code for one in failures] == ["R22"]
