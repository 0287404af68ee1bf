"""How actions fare over an exploration: counts by a count of one's own, the furthest attempt, bounds and symmetry."""

from __future__ import annotations

from collections import Counter, deque
from pathlib import Path

import pytest

from checker.analysis.attempts import Attempts
from checker.analysis.explanation import ActionsReport, explain_actions, explain_state
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.problems import UsageProblem
from checker.traces.guards import Guards
from fizz import load
from interpreter import Machine, StepKind, compile_module

MODEL = """\
---
options: {max_actions: 100, max_concurrent_actions: 2, crash_on_yield: true}
---
role Node:
    action Init:
        self.up = False
        self.n = 0
    action Wake:
        require not self.up
        self.up = True
        self.n = (self.n + 1) % 3
    atomic action Send:
        require self.up
        m = oneof [1, 2]
        require self.n == m
        self.up = False
    atomic action Never:
        require self.up
        require self.n > 0
        n = oneof nodes if n.n > 7
        self.n = 0
action Init:
    nodes = [Node(), Node()]
atomic action Reset:
    if nodes[0].n == 2:
        nodes[0].n = 0
    elif nodes[0].n == 5:
        nodes[1].n = 0
"""


def explained(text: str, folder: Path, action: str | None = None, **settings: object) -> ActionsReport:
    (folder / "m.fizz").write_text(text)
    return explain_actions(folder / "m.fizz", action, settings=Settings(**settings))  # type: ignore[arg-type]


def counted(path: Path) -> tuple[Counter[str], Counter[str]]:
    """Attempts and steps of every action, by the machine alone."""
    machine = Machine(compile_module(load(path)))
    first = machine.initial()[0][0].state
    seen, waiting = {first}, deque([first])
    attempts: Counter[str] = Counter()
    fired: Counter[str] = Counter()
    while waiting:
        state = waiting.popleft()
        steps = machine.steps(state).steps
        starts = [c.rule for c in machine.candidates(state, limits=False) if c.rule.kind is StepKind.START]
        name = {rule: machine.program.routines[rule.subject].name for rule in starts}
        attempts.update(name.values())
        fired.update(name[rule] for rule in {s.rule for s in steps} & set(starts))
        for step in steps:
            if step.target not in seen:
                seen.add(step.target)
                waiting.append(step.target)
    return attempts, fired


def test_attempts_and_steps(tmp_path: Path) -> None:
    """They are those of a count by the machine alone."""
    by_action: dict[str, Attempts] = {}
    for name in ("Node.Wake", "Node.Send", "Node.Never", "Reset"):
        report = explained(MODEL, tmp_path, name)
        (by_action[name],) = report.actions
        assert report.whole
    attempts, fired = counted(tmp_path / "m.fizz")
    assert {name: one.attempts for name, one in by_action.items()} == dict(attempts)
    assert {name: one.fired for name, one in by_action.items()} == {name: fired[name] for name in by_action}
    assert by_action["Node.Send"].fired > 0
    assert by_action["Node.Wake"].held_back[0][0] == "max_concurrent_actions: 2"


def test_guards_in_the_order_of_the_source(tmp_path: Path) -> None:
    """Each guard is met by those that passed the one before; the last one ends all."""
    (one,) = explained(MODEL, tmp_path, "Node.Never").actions
    assert [guard.text for guard in one.guards] == ["require self.up", "require self.n > 0", "oneof nodes"]
    assert [guard.line for guard in one.guards] == [18, 19, 20]
    first, second, third = one.guards
    assert first.met + sum(count for _, count in one.held_back) == one.attempts
    assert first.met > first.passed == second.met > second.passed == third.met > third.passed == 0


def test_branches_are_guards(tmp_path: Path) -> None:
    """An `if` without `else` that takes no branch does not let an action through."""
    (one,) = explained(MODEL, tmp_path, "Reset").actions
    (guard,) = one.guards
    assert (guard.line, guard.text, guard.passed) == (25, "if nodes[0].n == 2", one.fired)


def test_the_furthest_attempt(tmp_path: Path) -> None:
    """For an action without steps: the shortest path to the attempt that passes most guards, and what ends it."""
    report = explained(MODEL, tmp_path)
    (one,) = report.actions
    assert (one.action, one.fired) == ("Node.Never", 0)
    assert one.trace is not None and one.furthest is not None
    assert [entry.label for entry in one.trace.entries] == ["Init", "Node#0.Wake", "thread-0"]
    assert one.furthest.name == "Node#0.Never"
    (guard,) = one.furthest.guards
    assert (guard.kind, guard.line, guard.facts[1]) == ("oneof", 20, ("n.n > 7", "False"))


def test_one_instance(tmp_path: Path) -> None:
    """An instance's attempts are half of those of its role, where there are two."""
    (both,) = explained(MODEL, tmp_path, "Node.Never").actions
    (one,) = explained(MODEL, tmp_path, "Node#1.Never").actions
    assert 2 * one.attempts == both.attempts
    assert one.furthest is not None
    assert one.furthest.name == "Node#1.Never"


def test_symmetry(tmp_path: Path) -> None:
    """Under symmetry the trace has concrete states, in which the guard is the one that ends the action."""
    text = MODEL.replace("role Node", "symmetric role Node").replace(
        "nodes = [Node(), Node()]", "nodes = bag()\n    nodes.add_all([Node(), Node()])"
    )
    text = text[: text.index("atomic action Reset")]
    folded = explained(text, tmp_path)
    whole = explained(text, tmp_path, symmetry=False)
    assert folded.states < whole.states
    for report in (folded, whole):
        (one,) = report.actions
        assert one.furthest is not None
        assert [(guard.kind, guard.line) for guard in one.furthest.guards] == [("oneof", 20)]


def test_bounds(tmp_path: Path) -> None:
    """Cut states say so, and the exit code is that of a bounded search."""
    report = explained(MODEL.replace("max_actions: 100", "max_actions: 1"), tmp_path, "Node.Never")
    assert (report.whole, report.exit_code) == (False, 3)
    assert dict(report.actions[0].held_back)["max_actions: 1"] > 0
    cut = explained(MODEL, tmp_path, "Node.Never", limits=Limits(states=2))
    assert (cut.stopped, cut.exit_code) == ("max_states", 3)


def test_states_that_engines_meet_have_the_same_guards(tmp_path: Path) -> None:
    """An attempt without a step is counted exactly for the actions that are disabled in that state."""
    (tmp_path / "m.fizz").write_text(MODEL)
    machine = Machine(compile_module(load(tmp_path / "m.fizz")))
    guards = Guards(machine)
    state = machine.initial()[0][0].state
    for _ in range(12):
        steps = machine.steps(state).steps
        free = {machine.actor(step.rule) for step in steps if not step.crashes}
        held = {one.actor for one in guards.disabled(state)}
        assert free | held == {machine.actor(c.rule) for c in machine.candidates(state, limits=False)} - {None}
        state = steps[len(steps) // 2].target


def test_names_of_actions(tmp_path: Path) -> None:
    """An action may be named without its role; one that there is not is refused, with those of a similar name."""
    assert explained(MODEL, tmp_path, "Send").actions[0].action == "Node.Send"
    with pytest.raises(UsageProblem, match=r"there is no action 'Node\.Sent'") as wrong:
        explained(MODEL, tmp_path, "Node.Sent")
    assert wrong.value.hint == "did you mean 'Node.Send'?"


def test_one_state(tmp_path: Path) -> None:
    """The state after a trace, or after some of its steps."""
    (tmp_path / "m.fizz").write_text(MODEL)
    guide = ["[explicit]", "Node#1.Wake", "thread-0", "Node#1.Send"]
    report = explain_state(tmp_path / "m.fizz", "Node#1.Send", trace=[*guide, "Any:m=1"])
    assert [one.guards[0].facts for one in report.disabled] == [(("self.up", "False"),)]
    before = explain_state(tmp_path / "m.fizz", "Node#1.Send", trace=[*guide, "Any:m=1"], step=2)
    assert (before.disabled, before.possible) == ((), ("Node#1.Send[Any:m=1]",))
    everything = explain_state(tmp_path / "m.fizz", trace=guide[:2])
    assert [one.name for one in everything.disabled] == [
        "Reset", "Node#0.Send", "Node#0.Never", "Node#1.Wake", "Node#1.Send", "Node#1.Never"
    ]  # fmt: skip
    with pytest.raises(UsageProblem, match="the trace has 1 steps, no step 9"):
        explain_state(tmp_path / "m.fizz", trace=guide[:2], step=9)


def test_roles_without_instances(tmp_path: Path) -> None:
    """An action without an attempt is reported without a trace."""
    (one,) = explained(
        "role Ghost:\n    action Walk: x = 1\naction Init: n = 0\natomic action A: n = 1\n", tmp_path
    ).actions
    assert (one.action, one.attempts, one.guards, one.furthest) == ("Ghost.Walk", 0, (), None)
