"""`cover` counts what a plain walk over all states counts, and says what never happened."""

from __future__ import annotations

from collections import Counter, deque
from pathlib import Path

import pytest

from checker.analysis.covering import Coverage, cover
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.property import Predicate
from checker.search.contract.assertion_answers import Assertions
from fizz import Span, load
from interpreter import Machine, compile_module
from interpreter.compile.program import Sequence
from interpreter.compile.statements import instructions
from interpreter.state.step import Outcome, Rule, StepKind

MODEL = """\
---
options: {max_actions: 100, max_concurrent_actions: 2}
action_options: {Idle: {max_actions: 2}}
deadlock_detection: false
---
role Node:
    action Init:
        self.n = 0
        self.seen = []
    action Up:
        require self.n < 2
        self.n += 1
        for x in [1, 2]:
            if x == 2 and self.n == 2:
                self.seen = []
            elif x == 3:
                self.seen = [7]
            else:
                self.seen = [x]
    func take(v):
        require v > 0
        self.n = v % 2
    atomic action Give:
        target = oneof nodes if target.n == 0
        self.take(1)
        while self.n > 5:
            self.n -= 1
        if self.n >= 0:
            self.seen = []
action Init:
    nodes = [Node(), Node()]
    total = 0
atomic action Idle:
    if total == 0:
        pass
    oneof k in []:
        total = k
always assertion Fine:
    for node in nodes:
        if node.n > 2:
            return False
    return all([n.n >= 0 or total > 3 for n in nodes])
transition assertion Steps(before, after):
    return after.total == before.total
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "m.fizz").write_text(MODEL)
    return tmp_path / "m.fizz"


def counted(path: Path) -> tuple[Counter[Span], int]:
    """How often each statement ran, by the machine alone: nothing is remembered."""
    machine = Machine(compile_module(load(path)))
    program = machine.program
    lines: Counter[Span] = Counter()

    def evaluated(rule: Rule, view: object) -> object:
        result = machine.run(rule, view).result  # type: ignore[arg-type]
        lines.update(set(result.lines))
        return result

    assertions = Assertions(machine, machine.view, evaluated)  # type: ignore[arg-type]
    assert program.init is not None
    for path in machine.paths(Rule(StepKind.INIT, program.init), machine.view(machine.transitions.empty)):
        lines.update(path.result.lines)
    first = machine.initial()[0][0].state
    seen, waiting = {first}, deque([first])
    while waiting:
        state = waiting.popleft()
        assertions.holds(Predicate(0), state)
        for candidate in machine.candidates(state):
            if candidate.rule.kind is StepKind.CRASH_ROLE:
                continue
            for path in machine.paths(candidate.rule, machine.view(state)):
                lines.update(path.result.lines)
                if isinstance(path.result, Outcome):
                    target = machine.apply(state, candidate.rule, path.result)
                    assert target is not None
                    assertions.holds_between(Predicate(1), state, target)
        for step in machine.steps(state).steps:
            if step.target not in seen:
                seen.add(step.target)
                waiting.append(step.target)
    return lines, len(seen)


def test_counts_are_those_of_a_plain_walk(path: Path) -> None:
    """Every statement, also of execution paths that were given up, of funcs, of Init, and of assertions."""
    found = cover(path)
    lines, states = counted(path)
    assert found.states == states
    program = compile_module(load(path))
    spans = [i.span for routine in program.routines for i in instructions(routine.body)]
    expected = {(span.file, span.line): lines[span] for span in sorted(spans, reverse=True)}
    assert found.runs == expected
    assert (found.statements, found.ran) == (len(spans), sum(span in lines for span in spans))
    assert isinstance(program.routines[0].body, Sequence)


BY_PARTS = """
---
deadlock_detection: false
options: {max_actions: 100}
---
action Init:
    xs = [0, 0, 0]
    seen = set([0])
atomic action Raise:
    i = oneof range(3)
    require xs[i] < 2
    xs[i] += 1
atomic action See:
    seen.add(xs[1])
always assertion Low:
    return xs[0] < 3
transition assertion Steps(before, after):
    if after.xs[0] > before.xs[0]:
        return after.xs[0] == before.xs[0] + 1
    if len(after.seen) > len(before.seen):
        return after.xs[1] in after.seen
    return True
"""


def test_counts_where_steps_write_parts(tmp_path: Path) -> None:
    """A transition assertion is counted on the state that a step leads to, though the step wrote a part of a list."""
    model = tmp_path / "parts.fizz"
    model.write_text(BY_PARTS)
    lines, states = counted(model)
    found = cover(model)
    assert found.states == states
    assert found.runs == {(span.file, span.line): lines[span] for span in lines}


def remarks(found: Coverage) -> set[tuple[str, int]]:
    return {(remark.kind, remark.span.line) for remark in found.remarks}


def test_what_never_happened(path: Path) -> None:
    """Branches never taken, guards never false, loops never entered, choices over nothing, parts never evaluated."""
    found = cover(path)
    assert remarks(found) == {
        ("never ran", 17),  # x == 3
        ("never false", 21),  # v > 0
        ("never ran", 27),  # while self.n > 5
        ("never false", 28),  # self.n >= 0
        ("nothing there", 36),  # oneof k in []
        ("never false", 34),  # total == 0
    }
    assert [(one.code, one.span and one.span.line) for one in found.untested] == [("W16", 42)]
    assert "action_options.Idle.max_actions: 2 had no effect" not in {one.text for one in found.settings}


def test_decisions_add_up(path: Path) -> None:
    """What the guards of an action let through is what its next statements count."""
    found = cover(path)
    by_line = {one.span.line: dict(one.counts) for one in found.branchings}
    run = {line: count for (_, line), count in found.runs.items()}
    assert by_line[11]["true"] == run[12]
    assert by_line[11]["true"] + by_line[11]["false"] == run[11]
    assert by_line[14] == {"if": run[15], "elif": 0, "else": run[19]}
    assert by_line[24]["some"] > 0
    steps = {one.action: (one.paths, one.steps) for one in found.actions}
    assert steps["Node.Up"] == (run[11], run[12])
    assert steps["Idle"][0] == steps["Idle"][1] == run[34]


def test_cut_searches_say_so(path: Path) -> None:
    """The counts of a part of the space come with another exit code."""
    assert (cover(path).whole, cover(path).exit_code) == (True, 0)
    cut = cover(path, settings=Settings(limits=Limits(states=5)))
    assert (cut.stopped, cut.whole, cut.exit_code) == ("max_states", False, 3)
    bounded = cover(path, options={"max_actions": "1"})
    assert (bounded.cut > 0, bounded.exit_code) == (True, 3)


def test_only_the_assertions_that_were_asked(path: Path) -> None:
    """Lines of others have no count."""
    asked = cover(path, settings=Settings(properties=("Steps",)))
    lines = {line for _, line in asked.runs}
    assert (39 in lines, 44 in lines) == (False, True)
    assert asked.untested == ()


def test_symmetry_counts_images(tmp_path: Path) -> None:
    """The states that are counted are those of the exploration."""
    (tmp_path / "m.fizz").write_text(
        "symmetric role Node:\n    action Init: self.x = 0\n    atomic action Up:\n        require self.x < 2\n"
        "        self.x += 1\naction Init:\n    nodes = bag()\n    nodes.add_all([Node(), Node()])\n"
    )
    folded = cover(tmp_path / "m.fizz")
    whole = cover(tmp_path / "m.fizz", settings=Settings(symmetry=False))
    assert (folded.states, whole.states) == (6, 9)
    assert folded.runs[str(tmp_path / "m.fizz"), 4] < whole.runs[str(tmp_path / "m.fizz"), 4]


def test_parts_of_paths_through_loops_of_choices(tmp_path: Path) -> None:
    """Execution paths that run together, as those of an Init with such a loop, evaluate parts of expressions too."""
    path = tmp_path / "m.fizz"
    path.write_text(
        "action Init:\n"
        "    x = 0\n"
        "    y = x + 0 if x == 0 else x + 7\n"
        "    atomic while x == 0 and y < 1:\n"
        "        x = oneof [0, 1]\n"
        "atomic action Act:\n"
        "    pass\n"
        "always assertion Small:\n"
        "    return x < 2\n",
        encoding="utf-8",
    )
    assert [(remark.kind, remark.span.column) for remark in cover(path).remarks] == [("never evaluated", 30)]
