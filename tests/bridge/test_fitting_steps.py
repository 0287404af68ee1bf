"""The steps that an event may be, compared with the slow way: every step of the state, and then those that fit."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fizz
from checker.conformance.event_map import Silent
from checker.conformance.judged_states import JudgedStates
from checker.conformance.log_files import Place
from checker.conformance.model_steps import ModelSteps
from checker.conformance.observed_event import NO_VALUE, Observed
from checker.conformance.step_fit import StepFit
from checker.properties import properties_of
from checker.traces.model_walk import Questions
from interpreter import Machine, State, Step, compile_module
from interpreter.state.step import ModelError
from interpreter.values.observed import to_plain
from tests.random.laws import walk

ROOT = Path(__file__).parents[2]
MODELS: dict[str, dict[str, str]] = {
    "models/raft/RaftLibrary.fizz": {"TRACED": "True", "VOTERS": "3"},
    "models/classics/TwoPhaseRoles.fizz": {},
    "models/classics/EWD998.fizz": {},
    "models/kafka/KafkaTruncateToHighWatermark.fizz": {},
    "models/elections/Election.fizz": {},
    "examples/register/election.fizz": {},
}
WAYS = """\
role Node:
    action Init:
        self.seen = []
        self.mark = 0
        self.accounts = [{"left": 2, "seen": None} for n in range(3)]

    # Ways that end in different lines, with a func in one of them.
    atomic action Choose:
        n = oneof [0, 1, 2]
        oneof:
            self.mark = n
            atomic:
                self.seen.append(n)
                self.mark = 7
        if n == 2:
            self.note(3)
        other = oneof [m for m in nodes if m != self]
        require n != 1 or other.mark == 0
        return n

    atomic func note(x):
        if x in self.seen:
            self.mark = x
        else:
            self.seen.append(x)

    atomic action Each:
        any i in [1, 2]:
            if len(self.seen) > i:
                self.seen.pop(0)
            else:
                self.mark = i

    # Equal members, changed through a name of their own.
    atomic action Spend:
        account = oneof self.accounts
        require account["left"] > 0
        account["left"] -= 1
        for other in self.accounts:
            if other != account:
                other["seen"] = account["left"]

    action Slow:
        `first` self.mark = 1
        n = oneof [4, 5]
        `second` self.mark = n

action Init:
    nodes = [Node(), Node()]

always assertion Small:
    return max([n.mark for n in nodes]) < 7 or len(nodes[0].seen) < 3
"""


def machine_of(name: str) -> Machine:
    if name == "ways":
        return Machine(compile_module(fizz.load("m.fizz", text=WAYS)))
    return Machine(compile_module(fizz.load(str(ROOT / name), constants=MODELS[name])))


def events_of(machine: Machine, state: State, step: Step, chance: random.Random) -> Iterator[Observed]:
    """What may be logged of a step, and wrong things of it."""
    if step.actor is None:
        return
    instance = step.actor.partition(".")[0] if "#" in step.actor else None
    label = None if step.rule.kind.name == "START" else "second"
    choices = []
    for text in step.outcome.choices:
        name, _, value = text.removeprefix("Any:").partition("=")
        if text.startswith("Any:") and name.isidentifier() and chance.random() < 0.7:
            choices.append((name, value))

    def said(where: State) -> tuple[tuple[str, Any], ...]:
        fields = [slot for slot in where.layout.slots if slot[0] == "field" and f"{slot[1]}#{slot[2]}" == instance]
        fields += [slot for slot in where.layout.slots if slot[0] == "heap"]
        some = chance.sample(fields, min(len(fields), chance.randrange(3)))
        return tuple((str(slot[-1]), to_plain(machine.values, where.get(slot))) for slot in some)

    returns: Any = NO_VALUE
    if step.outcome.returns and chance.random() < 0.5:
        returns = to_plain(machine.values, step.outcome.returns[0][1])
    right = said(state), said(step.target)
    for before, after in (right, right[::-1]):
        yield Observed(
            Place("log", 1), "e", "p", step.actor, None, label, instance, tuple(choices), before, after, returns, {}
        )


def slowly(machine: Machine, fit: StepFit, state: State, event: Observed) -> list[Step]:
    """Every step of the state by the interpreter, and of these the ones that fit."""
    found = []
    for step in machine.steps(state, limits=False).steps:
        named = step.actor == event.actor and not step.crashes
        if event.label is not None:
            named = named and any(event.label == one.rpartition(".")[2] for one in step.outcome.labels)
        else:
            named = named and step.rule.kind.name == "START"
        for name, value in event.choices:
            named = named and f"Any:{name}={value}" in step.outcome.choices
        if named and not fit._why_not(state, step, event):
            found.append(step)
    return found


@pytest.mark.parametrize("name", ["ways", *MODELS])
def test_steps_are_those_of_the_slow_way(name: str) -> None:
    """Targets, names and lines, whether a function of Python finds them or the interpreter does."""
    machine = machine_of(name)
    directly, interpreted = ModelSteps(machine, soon=0), ModelSteps(machine, soon=float("inf"))
    fits = [StepFit(machine, Silent(), steps) for steps in (directly, interpreted)]
    chance = random.Random(0)
    states = [state for _, state in walk(machine, 150)]
    compared = 0
    for state in chance.sample(states, min(len(states), 40)):
        steps = machine.steps(state, limits=False).steps
        for step in chance.sample(steps, min(len(steps), 4)):
            for event in events_of(machine, state, step, chance):
                wanted = {shown(one) for one in slowly(machine, fits[0], state, event)}
                for fit in fits:
                    assert {shown(one) for one in fit.moves(state, event)} == wanted, event
                compared += len(wanted)
    assert compared > 30
    assert directly.functions.direct > 0


def shown(step: Step | None) -> object:
    """A step as it is compared: alternatives are numbered otherwise where only some are admitted."""
    assert step is not None
    outcome = step.outcome
    lines = frozenset(outcome.lines)
    return (step.name, step.target, step.crashes, step.actor, lines, outcome.returns, outcome.labels)


@pytest.mark.parametrize("name", ["ways", *MODELS])
def test_assertions_are_those_of_the_interpreter(name: str) -> None:
    """Answers remembered by what an assertion may read are those of the state, and of the step to it."""
    machine = machine_of(name)
    watched = [one for one in properties_of(machine.program, None) if one.safety]
    judged, questions = JudgedStates(ModelSteps(machine, soon=0), watched), Questions(machine, watched)
    asked = 0
    for before, state in walk(machine, 200):
        step = next((one for one in machine.steps(before).steps if one.target == state), None)
        try:
            said = questions.of_state(state)
            if step is not None:
                said += questions.of_step(before, step)
        except ModelError:
            continue
        assert judged.violated(before, step, state) == [o.property.name for o in said if o.property.kind != "exists"]
        asked += step is not None
    assert asked > 5


STEPS = """\
action Init: x, y, z = 0, 0, 0
atomic action Both: x, y = (x + 1) % 3, (y + 1) % 4
atomic action Second: y = (y + 1) % 4
atomic action Third: z = 1 - z
transition assertion FirstMoves(before, after): return after.z == 1 or after.x != before.x
transition assertion SecondStays(before, after): return after.y >= before.y
always assertion Small: return x + y < 5
"""


def test_what_a_step_does_not_change_may_violate_too() -> None:
    """An assertion about steps may hold only while something changes; one about states is asked when that does."""
    machine = Machine(compile_module(fizz.load("m.fizz", text=STEPS)))
    watched = [one for one in properties_of(machine.program, None) if one.safety]
    judged, questions = JudgedStates(ModelSteps(machine, soon=0), watched), Questions(machine, watched)
    quiet, loud = 0, set()
    for before, _ in walk(machine, 300):
        for step in machine.steps(before).steps:
            said = [*questions.of_state(step.target), *questions.of_step(before, step)]
            found = judged.violated(before, step, step.target)
            assert found == [one.property.name for one in said]
            quiet += not found
            loud |= set(found)
    assert quiet > 30 and loud == {"FirstMoves", "SecondStays", "Small"}


def test_assertions_about_steps_do_not_need_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    """They run as functions of Python, once for what they may read of both states."""
    machine = machine_of("models/raft/RaftLibrary.fizz")
    watched = [one for one in properties_of(machine.program, None) if one.safety]
    about_steps = [one for one in watched if one.kind == "transition"]
    judged = JudgedStates(ModelSteps(machine, soon=0), watched)
    steps = [(before, step) for before, _ in walk(machine, 60) for step in machine.steps(before).steps]
    run, asked = machine.run, 0

    def counted(*given: Any) -> Any:
        nonlocal asked
        asked += 1
        return run(*given)

    monkeypatch.setattr(machine, "run", counted)
    for before, step in steps:
        assert not judged.violated(before, step, step.target)
    assert len(about_steps) > 2 and len(steps) > 150 > 3 * asked
