"""`CompiledRules`: the rules of one machine as functions of Python, made when a rule is first run.

A rule is done directly if it starts an action, of which a serial one is run to its first yield, or is an assertion, and
every statement in it is of the common ones. All else, and every state in which such a rule meets an error or something
rare, is left to the interpreter, which alone says what the language means.
"""

from __future__ import annotations

import ast as python
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from fizz.syntax.ast import OF_STEPS
from interpreter.compile import program as p
from interpreter.direct.called_funcs import Calls
from interpreter.direct.defs import compile_def
from interpreter.direct.followers import comparing
from interpreter.direct.forms import Unsupported, constant, name
from interpreter.direct.name_lookup import Shared
from interpreter.direct.node_operations import UNSET, Operations, Results
from interpreter.direct.nodes import MOST_PARTS, GiveUp, Nodes
from interpreter.direct.rule_bodies import RuleBody
from interpreter.direct.scopes import RuleScope, function
from interpreter.direct.sides import Sides, on_both_sides
from interpreter.direct.yields import WaitingPlace
from interpreter.execute.frames import ScopeState, parked_frame, thread_of
from interpreter.machine import Machine
from interpreter.state.step import FairChoice, Outcome, Rule, StepKind
from interpreter.values.intern import NONE, Tag
from interpreter.values.problem import ModelMistake

_FUEL: Final = 800_000
"""What a rule may spend in one state, in parts that it visits. A step that is this costly runs as long in the
interpreter as it takes to notice."""
_SLACK: Final = 5
"""The budget of a step is at least so many times the fuel: charges are estimated, and errors are the interpreter's."""
_BITS: Final = 64
"""Ints of fewer bits are done directly: a smaller limit is the interpreter's."""
_MOST_NODES: Final = 50_000
"""The largest function that is made, in nodes of its syntax tree. Python compiles as many in a third of a second, and
is not interrupted while it does; the largest function of a model that comes with the tool has 4,200."""
FAILURES: Final = (
    GiveUp, ModelMistake, TypeError, KeyError, IndexError, AttributeError, NameError, ValueError, ZeroDivisionError,
    OverflowError, RecursionError,
)  # fmt: skip
"""What generated code raises where the interpreter decides: wrong types, missing keys, names that are not bound."""

SIDES: Final = ("before", "after")
"""The names of the states of a step, if an assertion gives no others."""
HELD: Final = Outcome((), None, (), (), (), False, (), (), (), (), True)
VIOLATED: Final = Outcome((), None, (), (), (), False, (), (), (), (), False)


class CompiledRule(NamedTuple):
    """A rule for any instance, and states of any layout: `make` binds it to one of each."""

    scope: RuleScope
    make: Callable[..., Callable[..., Any]]
    cost: int
    """What each run is charged for the text of the rule."""


class Lookup(Protocol):
    """The values by what `V` has at a position: ids, or the values themselves."""

    def __getitem__(self, found: Any, /) -> Any: ...


class CompiledRules:
    """The rules of one machine as functions of Python.

    `asks`: a function runs one path of a rule, and asks for each part of the state where it is used; otherwise it runs
    all paths, on the values of a state.
    """

    asks = False
    kinds = frozenset({StepKind.START, StepKind.ASSERT})
    """The rules that may be run; INIT: Init, or funcs that are called from outside."""
    by_ways = False
    """Whether the ways on from a choice are counted by `each_way` and `numbers_taken`."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.nodes = self._new_nodes()
        budget = machine.program.options.limits
        self._most = min(_FUEL, budget.charges // _SLACK, budget.held // _SLACK)
        self._fuel = [0]
        self._limited = budget.elements < MOST_PARTS + _FUEL or budget.bits < _BITS
        self.operations = self._new_operations()
        self._calls = Calls(machine.program)
        self.shared = Shared(machine.program, machine.code.known, self.nodes)
        self._compiled: dict[tuple[bool, int], CompiledRule | None] = {}
        self._dynamic: dict[tuple[bool, int], set[str]] = {}
        """By rule, fields that it writes and reads through other names than `self`."""
        self._marked: list[int] = []
        self.sides = Sides(machine.values)
        self._namespace = self._names()
        self._of_several: dict[str, Any] | None = None
        """The names for assertions about several states, where there are instances."""
        self._remembered: dict[str, Results] = {}
        self.reasons: dict[str, str] = {}
        """Why a routine is left to the interpreter, by its name."""

    def _new_nodes(self) -> Nodes:
        return Nodes(self.machine.values)

    def _new_operations(self) -> Operations:
        return Operations(self.nodes, self._fuel, self.machine.program.options.limits)

    def supports(self, rule: Rule) -> bool:
        """Whether a rule may be run directly."""
        return self._of(rule) is not None

    def reason(self, rule: Rule) -> str | None:
        """Why a rule is left to the interpreter, if it was tried, and there are words for it."""
        reason = self.reasons.get(self._name(rule), "") if self._compiled.get(key_of(rule), rule) is None else ""
        return reason if reason.startswith(("a ", "an ")) else None

    def _leave(self, rule: Rule, reason: str) -> None:
        """Leave a rule to the interpreter from now on."""
        self._compiled[key_of(rule)] = None
        self.reasons[self._name(rule)] = reason

    def _note_marked(self) -> None:
        """Note what was executed since it was noted last."""
        for index in self._marked:
            self.machine.note_lines(self.shared.marks[index])
        self._marked.clear()

    def _unmark(self) -> None:
        """What was executed just now is to be noted when it is executed again."""
        for index in self._marked:
            self.shared.noted[index] = False
        self._marked.clear()

    # --- making functions ------------------------------------------------------------------------------------------

    def _name(self, rule: Rule) -> str:
        program = self.machine.program
        if rule.kind is StepKind.ASSERT:
            return program.routines[program.assertions[rule.subject].routine].name
        return program.routines[rule.subject].name

    def _of(self, rule: Rule) -> CompiledRule | None:
        if rule.kind not in self.kinds:
            return None
        key = key_of(rule)
        if key not in self._compiled:
            try:
                self._compiled[key] = self._make(rule)
            except Unsupported as reason:
                self._compiled[key] = None
                self.reasons[self._name(rule)] = str(reason)
            except (RecursionError, SyntaxError, MemoryError):
                # Python nests no code as deeply as a model may be nested.
                self._compiled[key] = None
                self.reasons[self._name(rule)] = "nested too deeply"
        return self._compiled[key]

    def _make(self, rule: Rule) -> CompiledRule:
        program = self.machine.program
        if self._limited:
            raise Unsupported("small limits")
        asserts, called = rule.kind is StepKind.ASSERT, rule.kind is StepKind.INIT
        sides: Mapping[str, str] = {}
        if asserts:
            assertion = program.assertions[rule.subject]
            routine = program.routines[assertion.routine]
            if assertion.kind in OF_STEPS:
                sides = dict(zip(assertion.parameters or SIDES, SIDES, strict=True))
                if self._calls.in_place(routine) & set(program.state_variables):
                    raise Unsupported("a change of the state after a step")
        else:
            routine = self._calls.routine(rule.subject)
            if (routine.parameters and not called) or self.machine.together(rule):
                raise Unsupported("a loop of choices")
        shared = self.shared
        dynamic = self._calls.written(routine) | self._dynamic.get(key_of(rule), set())
        scope = RuleScope(routine, shared, dynamic, compile_def, sides, self.asks, self.by_ways)
        scope.assigned |= {one.name for one in routine.parameters}
        body = RuleBody(routine, scope, asserts, called, self._calls)
        body.by_turns = self._by_turns(routine) if asserts else frozenset()
        if asserts and body.chooses:
            raise Unsupported("a choice in an assertion")
        statements = body.statements()
        scope.check()
        if scope.wholes and scope.stored:
            raise Unsupported("an assignment beside a state as a whole")
        if scope.of_after & scope.stored:
            raise Unsupported("an assignment to what is also read of the state after the step")
        needed = scope.complete(statements)
        slots = sorted(scope.slots)
        start: list[python.stmt] = []
        for one in slots:
            if one in scope.loaded and not self.asks:
                values = name("B" if scope.slots[one][0] == "before" else "V")
                position = python.Subscript(values, name(f"p_{one}"), python.Load())
                loaded = python.Subscript(name("nodes"), position, python.Load())
                targets: list[python.expr] = [python.Name(one, python.Store())]
                if one in scope.stored:
                    targets.append(python.Name(f"o_{one}", python.Store()))
                start.append(python.Assign(targets, loaded))
        for one in scope.variables():
            if one in needed and (self.asks or one not in scope.loaded):
                value: python.expr = name("UNSET")
                if one in ("forks", "texts"):
                    value = python.Tuple([], python.Load())
                elif one == "E":
                    value = python.Constant(False)
                elif one in ("labels", "fair"):
                    value = python.Tuple([], python.Load())
                elif one == "W":
                    value = python.Dict([], [])
                start.append(python.Assign([python.Name(one, python.Store())], value))
        for number, parameter in enumerate(routine.parameters if called else ()):
            given = python.Subscript(name("B"), constant(number), python.Load())
            target = python.Name(scope.variable(parameter.name), python.Store())
            start.append(python.Assign([target], python.Subscript(name("nodes"), given, python.Load())))
        inner = function("rule", ["V", "B", "out"], [*start, *statements])
        parameters = [
            "me",
            "label",
            "slots",
            *[f"p_{one}" for one in slots],
            *[f"s_{one}" for one in slots],
            *scope.tables,
            *[f"c_{side}" for side in sorted(scope.wholes)],
        ]
        outer = function("make", parameters, [*scope.functions, inner, python.Return(name("rule"))])
        if any(count == _MOST_NODES for count, _ in enumerate(python.walk(outer))):
            raise Unsupported("too long")
        return CompiledRule(scope, self._execute([outer], self._namespace_for(bool(sides), scope.follows)), body.size)

    def _by_turns(self, routine: p.Routine) -> frozenset[int]:
        """The loops of the routine of an assertion, by number, each turn of which is a path of its own."""
        return frozenset()

    def _namespace_for(self, of_step: bool, follows: bool) -> dict[str, Any]:
        """The names for a rule, which may be an assertion about steps, or ask for the successors of a state."""
        names = self._namespace
        if (of_step or follows) and self.machine.program.roles:
            if self._of_several is None:
                self._of_several = on_both_sides(self._namespace, self.operations, self.sides, self._whole)
            names = self._of_several
        return {**names, **comparing(names)} if follows else names

    def _loaded(self) -> Lookup:
        """What loads the values of the state."""
        return self.nodes

    def _whole(self, value: Any) -> Any:
        """A value of which everything is known."""
        return value

    def _execute(self, functions: Sequence[python.stmt], names: dict[str, Any]) -> Callable[..., Callable[..., Any]]:
        module = python.fix_missing_locations(python.Module(list(functions), []))
        for kept, value in self.shared.kept.items():
            if kept not in names:
                if isinstance(value, tuple) and value and value[0] == "fields":
                    value = self.operations.fields_of(value[1], value[2])
                names[kept] = value
        exec(compile(module, "<rule>", "exec"), names)
        made: Callable[..., Callable[..., Any]] = names.pop("make")
        return made

    def _may_crash(self, thread: int) -> bool:
        """Whether a thread that waits may be lost."""
        return self.machine.limits.may_crash(self.machine.transitions.root(thread)[0])

    def _labels(self, rule: Rule, routine: str) -> str:
        """How the step of a rule is named where its values are returned."""
        if rule.instance is None:
            return routine
        return f"{rule.instance[0]}#{rule.instance[1]}.{routine.rpartition('.')[2]}"

    def _names(self) -> dict[str, Any]:
        """The names that generated code may use: nothing of Python's own but these."""
        operations, number, noted = self.operations, self.nodes.number, self.shared.noted
        nodes = self._loaded()

        # `table` has the position of a field in `values` for each instance; `written` has what a path wrote.

        def field(owner: Any, table: Any, values: Any) -> Any:
            fields = owner.fields
            return nodes[values[table[owner]]] if fields is None else fields[table.attribute]

        def field_now(owner: Any, table: Any, values: Any, written: Mapping[Any, Any]) -> Any:
            fields = owner.fields
            if fields is not None:
                return fields[table.attribute]
            position = table[owner]
            return written[position] if position in written else nodes[values[position]]

        def field_write(owner: Any, table: Any, written: Mapping[Any, Any], value: Any) -> Mapping[Any, Any]:
            return {**written, table.writable(owner): value}

        def may_keep(value: int, own: bool) -> bool:
            interner = self.nodes.interner
            if not interner.mutable(value):
                return True
            return own and interner.tag(value) is Tag.LIST and not any(map(interner.mutable, interner.children(value)))

        def park(waiting: WaitingPlace, me: Any, *values: Any) -> int:
            routine, interner = self.machine.program.routines[waiting.routine], self.nodes.interner
            bound = [(one, value) for one, value in zip(waiting.names, values, strict=True) if value is not UNSET]
            for one, value in bound:
                # It may be a container that something else refers to, too, or that has one in it.
                if type(value) is list or not may_keep(number(value), one == waiting.own):
                    raise GiveUp
            inside = (NONE if me is None else number(me), *[number(value) for _, value in bound])
            scopes = [ScopeState(routine.scopes[scope], index) for scope, index in waiting.places]
            frame = parked_frame(routine, scopes, tuple([one for one, _ in bound]), inside, interner)
            return thread_of([frame], interner)

        def mark(index: int) -> bool:
            noted[index] = True
            self._marked.append(index)
            return True

        def fair_choice(
            made: tuple[FairChoice, ...], forks: tuple[int, ...], location: str, me: Any, item: Any
        ) -> tuple[FairChoice, ...]:
            text = self.nodes.interner.text
            instance = "" if me is None else text(me.number)
            return (*made, FairChoice(len(forks) - 1, location, instance, text(number(item))))

        def remembering(title: str, function: Callable[..., Any], given: int) -> Callable[..., Any]:
            # The same `def` is compiled in each rule that calls it.
            known = self._remembered.setdefault(title, Results())
            return operations.remembering(function, given, known)

        exported = {
            one: getattr(operations, one) for one in dir(operations) if not one.startswith("_") and one != "fuel"
        }
        return {
            **{one: value for one, value in exported.items() if callable(value)},
            "__builtins__": {},
            "nodes": nodes,
            "field": field,
            "field_now": field_now,
            "field_write": field_write,
            "mark": mark,
            "park": park,
            "fair_choice": fair_choice,
            "remembering": remembering,
            "M": noted,
            "UNSET": UNSET,
            "GiveUp": GiveUp,
            "len": len,
            "min": min,
            "max": max,
            "any": any,
            "all": all,
            "enumerate": enumerate,
            "each_way": enumerate,
            "list": list,
        }


def key_of(rule: Rule) -> tuple[bool, int]:
    """What a rule shares with those of other instances."""
    return (rule.kind is StepKind.ASSERT, rule.subject)
