"""Assertions: rules that write nothing and answer yes or no (language page, 10.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fizz import Span
from interpreter.program import AssertionProgram, Program
from interpreter.running.execute import Execution, Undecided
from interpreter.running.frames import Frame
from interpreter.running.view import StateView
from interpreter.running.world import Reader, World
from interpreter.state import MISSING, Slot, State
from interpreter.step import Abort, Expansion, ModelError, Outcome, Step, StepKind
from interpreter.values import HostValue, ListValue, ModelValue, StructValue, Value, Walk, equal, truth
from interpreter.values.freeze import freeze
from interpreter.values.tags import Tag


class StateStruct(HostValue):
    """The state variables of one state behind a dot: `before`, `after`, `next_states()[0].state`. Read one by one."""

    __slots__ = ("_world", "_names")
    kind = "struct"

    def __init__(self, world: World, names: tuple[str, ...]) -> None:
        self._world = world
        self._names = names

    def attributes(self) -> Mapping[str, object]:
        return _LazyFields(self._world, self._names)

    def intern(self, interner: Any) -> int:
        fields = [(name, freeze(value, interner)) for name, value in self.attributes().items()]
        return int(interner.intern_fields(Tag.STRUCT, fields))

    def equals(self, other: Value, walk: Walk) -> bool:
        if not isinstance(other, StateStruct):
            return False
        ours, theirs = self.attributes(), other.attributes()
        return ours.keys() == theirs.keys() and all(equal(ours[name], theirs[name]) for name in ours)


class _LazyFields(Mapping[str, object]):
    def __init__(self, world: World, names: tuple[str, ...]) -> None:
        self._world = world
        self._names = names

    def __getitem__(self, name: str) -> object:
        value = self._world.get(("heap", name)) if name in self._names else MISSING
        if value is MISSING:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._names if self._world.get(("heap", name)) is not MISSING)

    def __len__(self) -> int:
        return len(list(iter(self)))


class _Side:
    """One of the two states of a pair view."""

    __slots__ = ("_recorder", "_side")

    def __init__(self, recorder: Reader, side: str) -> None:
        self._recorder = recorder
        self._side = side

    def read(self, slot: Slot) -> int:
        return self._recorder.read((self._side, *slot))

    def whole(self) -> State:
        return self._recorder.whole()


def assertion_frame(
    program: Program, assertion: AssertionProgram, instance: tuple[str, int] | None, world: World
) -> Frame:
    """The frame in which an assertion runs; in a transition assertion the frame's own world is the state after."""
    routine = program.routines[assertion.routine]
    variables: dict[str, object] = {}
    if assertion.kind == "transition":
        before = World(world.interner, _Side(world.recorder, "before"), world.code)
        world = World(world.interner, _Side(world.recorder, "after"), world.code)
        names = assertion.parameters or ("before", "after")
        variables = {
            names[0]: StateStruct(before, program.state_variables),
            names[1]: StateStruct(world, program.state_variables),
        }
    owner = None if instance is None else world.instance(instance)
    return Frame(routine, owner, variables, world)


def next_states(world: World, steps: Callable[..., Expansion]) -> ListValue:
    """What `next_states()` gives (language page, 10.2): one struct per distinct name and resulting state."""
    code = world.code
    found: dict[tuple[str, State], object] = {}
    for step in steps(world.recorder.whole(), limits=False).steps:
        if not step.crashes:
            name = step.name.partition("[")[0]
            target = World(world.interner, StateView(step.target, world.interner), code)
            after = StateStruct(target, code.program.state_variables)
            found.setdefault((name, step.target), _next_state(name, step, world, after))
    return ListValue(list(found.values()))


_KINDS = {StepKind.START: "action", StepKind.CONTINUE: "thread", StepKind.DELIVER: "channel"}


def _next_state(name: str, step: Step, world: World, after: StateStruct) -> StructValue:
    instance, _, action = (step.actor or "").rpartition(".")
    identity = None
    if instance:
        role, _, number = instance.partition("#")
        identity = ModelValue(role, int(number))
    return StructValue(
        {
            "name": name,
            "kind": _KINDS[step.rule.kind],
            "role_ref": instance or None,
            "role_id": identity,
            "action_name": action if step.rule.kind is StepKind.START else None,
            "state": after,
        }
    )


def evaluate_assertion(assertion: AssertionProgram, execution: Execution, met: set[Span]) -> Outcome:
    """The verdict of an assertion whose frame is ready; a path without a value, or given up, is R13.

    Where loops are asked turn by turn, a turn that does not return leaves the verdict open (None). `met` is where the
    parts of expressions go that are evaluated; with the statements they are the lines of the outcome.
    """
    met.clear()
    met |= execution.met
    execution.met = met
    # What was kept of the states on both sides of a step cannot be written down.
    execution.judges = assertion.kind != "transition"
    try:
        execution.run()
    except Undecided:
        return _outcome(execution, None)
    except Abort as abort:
        # Steps are given up; an assertion must answer: a false `require` in a func it calls, an exhausted domain.
        text = f"assertion '{assertion.name}' returned no value: {abort.reason}"
        raise ModelError("R13", text, abort.span or execution.here()) from None
    if not execution.returned:
        raise ModelError("R13", f"assertion '{assertion.name}' returned no value", _place(assertion, execution))
    return _outcome(execution, truth(execution.result))


def _outcome(execution: Execution, verdict: bool | None) -> Outcome:
    lines = (*execution.lines, *sorted(execution.met))
    return Outcome((), None, (), (), (), False, (), (), (), lines, verdict)


def _place(assertion: AssertionProgram, execution: Execution) -> Span:
    return execution.lines[-1] if execution.lines else assertion.span
