"""A model as a sequential specification: the funcs of one role instance are operations, each a step of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from checker.conformance.history import NOT_OBSERVED, Operation
from checker.conformance.log_files import Place
from checker.conformance.read_only import has_guards, is_read_only, returns_value
from checker.core.problems import UsageProblem
from fizz.base.near_names import near_hint
from interpreter import Machine, State
from interpreter.calls import Called, Receiver, calls, function_of
from interpreter.compile.program import Routine
from interpreter.state.step import Aborted
from interpreter.values.observed import from_plain, same, to_plain
from interpreter.values.problem import ModelMistake

if TYPE_CHECKING:
    from interpreter.direct.called_rules import BoundCall, CalledRules

_MOST_REMEMBERED: Final = 2_000_000
_SOON: Final = 32
"""After so many calls of a func it is worth to make a function of it."""


@dataclass(slots=True)
class _Call:
    """A func with its arguments, ids by parameter. `function`: it as a function of Python; None: there is none (yet).

    `effects`: by the number of a state, the numbers of the states after it with the ids of what was returned.
    """

    routine: Routine
    arguments: Mapping[str, int]
    function: BoundCall | None = None
    is_prepared: bool = False
    effects: dict[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)


class Specification:
    """A machine, and the receiver of all operations; None: the funcs at top level.

    States are numbered: `number` and `state`. Bound operations of one kind (func, arguments, result) behave alike.
    """

    def __init__(self, machine: Machine, receiver: Receiver | None) -> None:
        self.machine = machine
        self.receiver = receiver
        self._numbers: dict[State, int] = {}
        self._states: list[State] = []
        self._kinds: dict[tuple[object, ...], int] = {}
        self._bound: list[tuple[_Call, Operation]] = []
        self._calls: dict[tuple[object, ...], _Call] = {}
        self._remembered = 0
        """How many effects of calls are."""
        self._known: dict[tuple[int, int], tuple[int, ...]] = {}
        self._reading: dict[int, bool] = {}
        self._asked: Counter[int] = Counter()
        self._functions: CalledRules | None = None

    @property
    def name(self) -> str:
        return "the model" if self.receiver is None else f"{self.receiver[0]}#{self.receiver[1]}"

    def number(self, state: State) -> int:
        """The number of a state."""
        found = self._numbers.get(state)
        if found is None:
            found = self._numbers[state] = len(self._states)
            self._states.append(state)
        return found

    def state(self, number: int) -> State:
        """The state of a number."""
        return self._states[number]

    def beginnings(self) -> list[int]:
        """The numbers of the initial states. Raises `ModelError`."""
        states, failures = self.machine.initial()
        if failures:
            raise failures[0].error
        return list(dict.fromkeys(self.number(one.state) for one in states))

    # --- operations ------------------------------------------------------------------------------------------------

    def function(self, name: str, place: Place) -> Routine:
        """The func of an operation. Raises `UsageProblem` with the place of its record."""
        routine = function_of(self.machine, self.receiver, name)
        if routine is None:
            program = self.machine.program
            known = program.functions if self.receiver is None else program.role(self.receiver[0]).functions
            owner = "the model" if self.receiver is None else f"role {self.receiver[0]}"
            hint = near_hint(name, known) or f"its funcs are {', '.join(sorted(known)) or 'none'}"
            place.refuse(f"{owner} has no func '{name}'", hint)
        return routine

    def bind(self, operation: Operation) -> int:
        """The kind of an operation; binds its arguments to the parameters of its func. Raises `UsageProblem`."""
        routine = self.function(operation.function, operation.place)
        operation.arguments = _arguments(routine, operation)
        if operation.ending == "ok" and not returns_value(routine):
            # What a func without `return e` answers is often its argument, repeated.
            operation.result = NOT_OBSERVED
        try:
            bound = {name: from_plain(self.machine.values, value) for name, value in operation.arguments.items()}
        except ModelMistake as mistake:
            operation.place.refuse(f"an argument is {mistake.text}")
        result = repr(operation.result) if operation.ending == "ok" else operation.ending
        call = (operation.function, *bound.items())
        kind = self._kinds.get((call, result))
        if kind is None:
            kind = self._kinds[call, result] = len(self._bound)
            if call not in self._calls:
                self._calls[call] = _Call(routine, bound)
            self._bound.append((self._calls[call], operation))
        return kind

    def only_reads(self, kind: int) -> bool:
        """Whether operations of this kind can not change any state."""
        call, operation = self._bound[kind]
        return operation.ending != "unknown" and self._only_reads(call.routine)

    def _only_reads(self, routine: Routine) -> bool:
        known = self._reading.get(routine.number)
        if known is None:
            known = self._reading[routine.number] = is_read_only(self.machine.program, routine)
        return known

    def constrains(self, operation: Operation) -> bool:
        """Whether something of this operation is compared with the model."""
        if operation.ending == "unknown":
            return False
        routine = self.function(operation.function, operation.place)
        return operation.result is not NOT_OBSERVED or has_guards(self.machine.program, routine)

    def after(self, kind: int, state: int) -> tuple[int, ...]:
        """The states after an operation of this kind in a state, if it can take effect there; remembered.

        Raises `ModelError`.
        """
        known = self._known.get((kind, state))
        if known is None:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            known = self._known[kind, state] = self._after(kind, state)
        return known

    def _after(self, kind: int, state: int) -> tuple[int, ...]:
        call, operation = self._bound[kind]
        effects = call.effects.get(state)
        if effects is None:
            effects = self._effects(call, state)
        if operation.ending == "failed":
            return () if effects else (state,)
        if operation.ending == "ok" and operation.result is not NOT_OBSERVED:
            values, result = self.machine.values, operation.result
            effects = tuple([one for one in effects if same(values, one[1], result)])
        return tuple(dict.fromkeys([target for target, _ in effects]))

    def _effects(self, call: _Call, state: int) -> tuple[tuple[int, int], ...]:
        if self._remembered >= _MOST_REMEMBERED // 8:
            for one in self._calls.values():
                one.effects.clear()
            self._remembered = 0
        ways = [way for way in self._ways(call, state) if isinstance(way, Called)]
        found = call.effects[state] = tuple([(self.number(way.target), way.returned) for way in ways])
        self._remembered += 1
        return found

    def ways(self, kind: int, state: int) -> Sequence[Called | Aborted]:
        """All ways through the func of a kind in a state, whatever was observed. Raises `ModelError`."""
        return self._ways(self._bound[kind][0], state)

    def _ways(self, call: _Call, state: int) -> Sequence[Called | Aborted]:
        routine, source = call.routine, self._states[state]
        if not call.is_prepared:
            self._asked[routine.number] += 1
            if self._asked[routine.number] > _SOON:
                call.function = self.functions.bound(self.receiver, routine, call.arguments)
                call.is_prepared = True
        found = None if call.function is None else self.functions.ways(source, call.function)
        if found is not None:
            return found
        return list(calls(self.machine, source, self.receiver, routine, call.arguments, self._only_reads(routine)))

    @property
    def functions(self) -> CalledRules:
        """Funcs as functions of Python."""
        if self._functions is None:
            # Short histories do not need them.
            from interpreter.direct.called_rules import CalledRules

            self._functions = CalledRules(self.machine)
        return self._functions

    def returned(self, way: Called) -> Any:
        """What a way returned, as a value of JSON."""
        return to_plain(self.machine.values, way.returned)


def _arguments(routine: Routine, operation: Operation) -> dict[str, Any]:
    """The arguments by parameter: fields of their names, then those in `args` or `value`; others have defaults."""
    fields, place = operation.fields, operation.place
    plain = [parameter for parameter in routine.parameters if parameter.kind == "plain"]
    names = [parameter.name for parameter in plain]
    optional = {parameter.name for parameter in plain if parameter.default is not None}
    found = {name: fields[name] for name in names if name in fields and name != "value"}
    rest = [name for name in names if name not in found]
    needed = [name for name in rest if name not in optional]
    given = fields.get("args", fields.get("value"))
    if isinstance(given, dict) and rest and set(needed) <= set(given) <= set(rest) and given:
        found |= given
    elif len(rest) == 1 and "args" not in fields and "value" in fields and (needed or given is not None):
        found[rest[0]] = given
    elif isinstance(given, list) and len(needed) <= len(given) <= len(rest):
        found |= dict(zip(rest, given, strict=False))
    elif len(needed) == 1 and "args" not in fields and "value" in fields:
        found[needed[0]] = given
    elif needed or (given not in (None, []) and "args" in fields):
        signature = f"{operation.function}({', '.join(names)})"
        missing = f"no value for {', '.join(needed)}" if needed else "arguments for a func without parameters"
        if isinstance(given, list) and len(given) > len(rest) > 0:
            missing = f"{len(given)} arguments"
        place.refuse(
            f"{missing}: the func is {signature}",
            "give each parameter as a field of its name, or all in order as a list in 'value' or 'args'",
        )
    return {name: found[name] for name in names if name in found}


def receiver_of(
    machine: Machine, state: State, asked: str | None, functions: Sequence[str], where: str = ""
) -> Receiver | None:
    """The instance that answers: the one asked for, or the only one of a role that has funcs of these names.

    None: they are funcs at top level. `where`: the place of the first name. Raises `UsageProblem`.
    """
    live = [(role, number) for role, numbers in state.layout.live.items() for number in numbers]
    if asked is not None:
        found = [one for one in live if f"{one[0]}#{one[1]}" == asked or one[0] == asked]
        if len(found) != 1:
            raise UsageProblem(f"there is no single instance '{asked}' after Init", _instances(live))
        return found[0]
    wanted = set(functions)
    program = machine.program
    if wanted & program.functions.keys():
        return None
    # A name that no role has is refused later, with the line it is in.
    best = max((len(wanted & program.role(role).functions.keys()) for role, _ in live), default=0)
    fitting = [one for one in live if best and len(wanted & program.role(one[0]).functions.keys()) == best]
    if not fitting:
        known = sorted({*program.functions, *[name for role, _ in live for name in program.role(role).functions]})
        funcs = near_hint(functions[0], known) or f"the funcs are {', '.join(known) or 'none'};"
        raise UsageProblem(
            f"{where}no role instance has a func '{functions[0]}', nor one of the name of any other operation",
            f"{funcs} {_instances(live)}" if live else "create an instance of the role in the top-level Init",
        )
    if len(fitting) > 1:
        raise UsageProblem("several role instances have such funcs", f"name one with --object; {_instances(fitting)}")
    return fitting[0]


def _instances(live: Sequence[Receiver]) -> str:
    return "the instances are " + (", ".join(f"{role}#{number}" for role, number in live) or "none")
