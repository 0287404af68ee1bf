"""`DirectRules`: the rules of one machine as functions of Python, made when a rule is first run.

A rule is done directly if it starts an atomic action, or is an assertion, and every statement in it is of the common
ones. All else, and every state in which such a rule meets an error or something rare, is left to the
interpreter, which alone says what the language means. The results are those of the interpreter, in the same order,
without the lines that were executed: these are noted by the machine.
"""

from __future__ import annotations

import ast as python
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from fizz.syntax.ast import OF_STEPS
from interpreter.direct.defs import compile_def
from interpreter.direct.direct_expressions import Unsupported, call, name
from interpreter.direct.node_operations import UNSET, Operations
from interpreter.direct.nodes import MOST_PARTS, GiveUp, Nodes, Shadowed, ValueNode
from interpreter.direct.rule_bodies import Calls, RuleBody
from interpreter.direct.scopes import RuleScope, Shared, function
from interpreter.machine import Machine
from interpreter.state.state import Layout, Slot, State
from interpreter.state.step import Aborted, FairChoice, Outcome, Result, Rule, StepKind
from interpreter.values.intern import Tag
from interpreter.values.problem import ModelMistake

_FUEL: Final = 200_000
"""What a rule may spend in one state, in parts that it visits. A step that is this costly runs as long in the
interpreter as it takes to notice."""
_SLACK: Final = 20
"""The budget of a step is at least so many times the fuel: charges are estimated, and errors are the interpreter's."""
_BITS: Final = 64
"""Ints of fewer bits are done directly: a smaller limit is the interpreter's."""
_PATIENCE: Final = 64
"""After so many failures, more than half of what was asked, a rule is left to the interpreter."""
_FAILURES: Final = (
    GiveUp, ModelMistake, TypeError, KeyError, IndexError, AttributeError, NameError, ValueError, ZeroDivisionError,
    OverflowError, RecursionError,
)  # fmt: skip
"""What generated code raises where the interpreter decides: wrong types, missing keys, names that are not bound."""

SIDES: Final = ("before", "after")
"""The names of the states of a step, if an assertion gives no others."""
HELD: Final = Outcome((), None, (), (), (), False, (), (), (), (), True)
VIOLATED: Final = Outcome((), None, (), (), (), False, (), (), (), (), False)

NOTHING: Final[Mapping[int, Any]] = {}
Run = Callable[[tuple[int, ...], tuple[int, ...], Callable[[Result], None]], object]
"""A rule on the values of a state, and those of the state before if it is about a step."""


class _Bound(NamedTuple):
    """A rule for states of one layout. `run`: None if it is left to the interpreter there."""

    layout: Layout
    before: Layout | None
    run: Run | None
    cost: int


class _Compiled(NamedTuple):
    """A rule for states of any layout and any instance: `make` binds it to one of each."""

    scope: RuleScope
    make: Callable[..., Run]
    cost: int
    """What each run is charged for the text of the rule."""


class FieldTable(dict[ValueNode, int]):
    """The positions of one attribute of role instances in the states of a layout."""

    def __init__(self, attribute: str, layout: Layout, nodes: Nodes, excluded: ValueNode | None) -> None:
        super().__init__()
        self.attribute = attribute
        self._layout = layout
        self._nodes = nodes
        self._excluded = excluded

    def __missing__(self, node: ValueNode) -> int:
        if node is self._excluded:
            raise Shadowed(self.attribute)
        if node.tag is not Tag.ROLE:
            raise GiveUp
        role, number = self._nodes.interner.payload(node.number)
        position = self[node] = position_of(self._layout, role, number, self.attribute)
        return position

    def writable(self, node: ValueNode) -> int:
        """The position of a field that may be written."""
        position = self[node]
        role, number = self._nodes.interner.payload(node.number)
        if self._layout.slots[position][0] != "field" or ("param", role, number, self.attribute) in self._layout.index:
            raise GiveUp
        return position


def position_of(layout: Layout, role: str, number: int, attribute: str) -> int:
    """The position of a field or param of an instance."""
    position = layout.index.get(("field", role, number, attribute))
    if position is None:
        position = layout.index.get(("param", role, number, attribute))
    if position is None:
        raise GiveUp
    return position


class DirectRules:
    """`direct` and `given_up` count the evaluations that were done, and those that were left to the interpreter."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.nodes = Nodes(machine.values)
        budget = machine.program.options.limits
        self._most = min(_FUEL, budget.charges // _SLACK, budget.held // _SLACK)
        self._fuel = [0]
        self._limited = budget.elements < MOST_PARTS + _FUEL or budget.bits < _BITS
        self.operations = Operations(self.nodes, self._fuel, budget)
        self._calls = Calls(machine.program)
        self.shared = Shared(machine.program, machine.code.known, self.nodes)
        self._compiled: dict[tuple[bool, int], _Compiled | None] = {}
        self._bound: dict[Rule, _Bound] = {}
        self._dynamic: dict[tuple[bool, int], set[str]] = {}
        """By rule, fields that it writes and reads through other names than `self`."""
        self._failures: dict[tuple[bool, int], list[int]] = {}
        self._marked: list[int] = []
        self._namespace = self._names()
        self.direct = 0
        self.given_up = 0
        self.reasons: dict[str, str] = {}
        """Why a routine is left to the interpreter, by its name."""

    def supports(self, rule: Rule) -> bool:
        """Whether a rule may be run directly."""
        return self._of(rule) is not None

    @property
    def spent(self) -> int:
        """What the last rule has spent."""
        return self._most - self._fuel[0]

    def results(self, rule: Rule, state: State, before: State | None = None, noted: bool = True) -> list[Result] | None:
        """The results of all execution paths of a rule, in the order of their choices; None: ask the interpreter.

        `before`: the state before the step that an assertion is about. `noted`: the lines count as executed.
        """
        bound = self._bound.get(rule)
        layout = None if before is None else before.layout
        if bound is None or bound.layout is not state.layout or bound.before is not layout:
            compiled = self._of(rule)
            cost = 0 if compiled is None else compiled.cost
            bound = self._bound[rule] = _Bound(state.layout, layout, self._bind(rule, state.layout, layout), cost)
        run = bound.run
        if run is None:
            return None
        self._fuel[0] = self._most - bound.cost
        self.operations.unordered.clear()
        found: list[Result] = []
        try:
            verdict = run(state.values, () if before is None else before.values, found.append)
        except Shadowed as shadowed:
            self._failed(rule)
            self._dynamic.setdefault(_key(rule), set()).add(shadowed.attribute)
            self._forget(_key(rule))
            self._compiled.pop(_key(rule))
            return self.results(rule, state, before, noted)
        except _FAILURES:
            self._failed(rule)
            return None
        if self._fuel[0] < 0 or len(found) > self.machine.most_paths:
            self._failed(rule)
            return None
        if self._marked and noted:
            for index in self._marked:
                self.machine.note_lines(self.shared.marks[index])
            self._marked.clear()
        self._unmark()
        self.direct += 1
        if rule.kind is StepKind.ASSERT:
            return [HELD if verdict else VIOLATED]
        return found

    def _failed(self, rule: Rule) -> None:
        """The interpreter runs the rule in this state, and notes what it executes."""
        self._unmark()
        self.given_up += 1
        key = (rule.kind is StepKind.ASSERT, rule.subject)
        counted = self._failures.setdefault(key, [0, self.direct])
        counted[0] += 1
        if counted[0] >= _PATIENCE:
            if self.direct - counted[1] < counted[0]:
                self._compiled[key] = None
                self.reasons[self._name(rule)] = "it was given up too often"
                self._forget(key)
            self._failures[key] = [0, self.direct]

    def _unmark(self) -> None:
        """What was executed just now is to be noted when it is executed again."""
        for index in self._marked:
            self.shared.noted[index] = False
        self._marked.clear()

    def _forget(self, key: tuple[bool, int]) -> None:
        self._bound = {one: bound for one, bound in self._bound.items() if _key(one) != key}

    # --- making functions ------------------------------------------------------------------------------------------

    def _name(self, rule: Rule) -> str:
        program = self.machine.program
        if rule.kind is StepKind.ASSERT:
            return program.routines[program.assertions[rule.subject].routine].name
        return program.routines[rule.subject].name

    def _of(self, rule: Rule) -> _Compiled | None:
        if rule.kind is not StepKind.START and rule.kind is not StepKind.ASSERT:
            return None
        key = _key(rule)
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

    def _make(self, rule: Rule) -> _Compiled:
        program = self.machine.program
        if self._limited:
            raise Unsupported("small limits")
        asserts = rule.kind is StepKind.ASSERT
        sides: Mapping[str, str] = {}
        if asserts:
            assertion = program.assertions[rule.subject]
            routine = program.routines[assertion.routine]
            if assertion.kind in OF_STEPS:
                sides = dict(zip(assertion.parameters or SIDES, SIDES, strict=True))
                if self._calls.in_place(routine) & set(program.state_variables):
                    raise Unsupported("a change of the state after a step")
        else:
            routine = program.routines[rule.subject]
            if routine.parameters or self.machine.together(rule):
                raise Unsupported("a loop of choices")
        shared = self.shared
        scope = RuleScope(
            routine, shared, self._calls.written(routine) | self._dynamic.get(_key(rule), set()), compile_def, sides
        )
        body = RuleBody(routine, scope, asserts, self._calls)
        if asserts and body.chooses:
            raise Unsupported("a choice in an assertion")
        statements = body.statements()
        scope.check()
        if scope.wholes and scope.stored:
            raise Unsupported("an assignment beside a state as a whole")
        needed = scope.complete(statements)
        slots = sorted(scope.slots)
        start: list[python.stmt] = []
        for one in slots:
            if one in scope.loaded:
                before = scope.slots[one][0] == "before"
                position = python.Subscript(name("B" if before else "V"), name(f"p_{one}"), python.Load())
                loaded: python.expr = python.Subscript(name("nodes"), position, python.Load())
                if before and program.roles:
                    loaded = call("without_roles", loaded)
                targets: list[python.expr] = [python.Name(one, python.Store())]
                if one in scope.stored:
                    targets.append(python.Name(f"o_{one}", python.Store()))
                start.append(python.Assign(targets, loaded))
        for one in scope.variables():
            if one in needed and one not in scope.loaded:
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
        return _Compiled(scope, self._execute([outer]), body.size)

    def _execute(self, functions: Sequence[python.stmt]) -> Callable[..., Run]:
        module = python.fix_missing_locations(python.Module(list(functions), []))
        for kept, value in self.shared.kept.items():
            if kept not in self._namespace:
                if isinstance(value, tuple) and value and value[0] == "fields":
                    value = self.operations.fields_of(value[1], value[2])
                self._namespace[kept] = value
        exec(compile(module, "<rule>", "exec"), self._namespace)
        made: Callable[..., Run] = self._namespace.pop("make")
        return made

    def _bind(self, rule: Rule, layout: Layout, before: Layout | None) -> Run | None:
        compiled = self._of(rule)
        if compiled is None or layout.cells or (before is not None and before.cells):
            return None
        scope, nodes = compiled.scope, self.nodes
        if any(slot[-1] in scope.methods for slot in layout.slots if slot[0] in ("field", "param")):
            return None
        me = None if rule.instance is None else nodes[nodes.interner.intern(Tag.ROLE, rule.instance)]
        label = scope.routine.name
        if rule.instance is not None:
            label = f"{rule.instance[0]}#{rule.instance[1]}.{label.rpartition('.')[2]}"
        positions: list[int | None] = []
        slots: list[Slot] = []
        excluded = set()
        for one in sorted(scope.slots):
            kind, identifier = scope.slots[one]
            if kind in ("heap", "before"):
                slot: Slot = ("heap", identifier)
            elif rule.instance is None:
                return None
            else:
                slot = ("field", *rule.instance, identifier)
                if ("param", *rule.instance, identifier) in layout.index:
                    if one in scope.stored:
                        return None
                    slot = slot if slot in layout.index else ("param", *rule.instance, identifier)
                if one in scope.stored:
                    excluded.add(identifier)
            side = before if kind == "before" else layout
            assert side is not None
            position = side.index.get(slot)
            if position is None and one in scope.loaded:
                return None
            positions.append(position)
            slots.append(slot)
        tables = [
            FieldTable(attribute, layout, nodes, me if attribute in excluded else None)
            for attribute in scope.tables.values()
        ]
        wholes = [self._variables(layout if one == "after" else before) for one in sorted(scope.wholes)]
        return compiled.make(me, label, layout.slots, *positions, *slots, *tables, *wholes)

    def _variables(self, layout: Layout | None) -> tuple[tuple[str, int], ...]:
        """The names and positions of the state variables."""
        assert layout is not None
        names = sorted(self.machine.program.state_variables)
        return tuple([(one, layout.index["heap", one]) for one in names if ("heap", one) in layout.index])

    def _names(self) -> dict[str, Any]:
        """The names that generated code may use: nothing of Python's own but these."""
        operations, number, noted = self.operations, self.nodes.number, self.shared.noted

        def field(owner: Any, table: FieldTable, values: tuple[int, ...]) -> Any:
            fields = owner.fields
            return self.nodes[values[table[owner]]] if fields is None else fields[table.attribute]

        def field_now(owner: Any, table: FieldTable, values: tuple[int, ...], written: Mapping[int, Any]) -> Any:
            fields = owner.fields
            if fields is not None:
                return fields[table.attribute]
            position = table[owner]
            return written[position] if position in written else self.nodes[values[position]]

        def field_write(owner: Any, table: FieldTable, written: Mapping[int, Any], value: Any) -> Mapping[int, Any]:
            return {**written, table.writable(owner): value}

        def without_roles(value: Any) -> Any:
            # Through `before`, instances have the fields that they had then.
            if type(value) is ValueNode and self.nodes.interner.roles(value.number):
                raise GiveUp
            return value

        def state_struct(values: tuple[int, ...], variables: tuple[tuple[str, int], ...]) -> Any:
            self._fuel[0] -= len(variables)
            fields = tuple([(one, values[position]) for one, position in variables])
            return without_roles(self.nodes[self.nodes.interner.intern(Tag.STRUCT, fields)])

        def mark(index: int) -> bool:
            noted[index] = True
            self._marked.append(index)
            return True

        def written(
            writes: tuple[tuple[Slot, int], ...], value: Any, slot: Slot, before: int | None
        ) -> tuple[tuple[Slot, int], ...]:
            changed = number(value)
            return writes if changed == before else (*writes, (slot, changed))

        def finish(
            out: Callable[[Result], None],
            writes: tuple[tuple[Slot, int], ...],
            forks: tuple[int, ...],
            texts: tuple[str, ...],
            returned: Any,
            label: str,
            labels: tuple[str, ...],
            fair: tuple[FairChoice, ...],
            values: tuple[int, ...] = (),
            fields: Mapping[int, Any] = NOTHING,
            slots: Sequence[Slot] = (),
        ) -> None:
            for position, value in fields.items():
                writes = written(writes, value, slots[position], values[position])
            returns = () if returned is None else ((label, number(returned)),)
            out(Outcome(writes, None, (), texts, forks, False, labels, returns, fair, ()))

        def fair_choice(
            made: tuple[FairChoice, ...], forks: tuple[int, ...], location: str, me: Any, item: Any
        ) -> tuple[FairChoice, ...]:
            text = self.nodes.interner.text
            instance = "" if me is None else text(me.number)
            return (*made, FairChoice(len(forks) - 1, location, instance, text(number(item))))

        exported = {
            one: getattr(operations, one) for one in dir(Operations) if not one.startswith("_") and one != "fuel"
        }
        return {
            **{one: value for one, value in exported.items() if callable(value)},
            "__builtins__": {},
            "nodes": self.nodes,
            "field": field,
            "field_now": field_now,
            "field_write": field_write,
            "mark": mark,
            "without_roles": without_roles,
            "state_struct": state_struct,
            "fair_choice": fair_choice,
            "finish": finish,
            "written": written,
            "M": noted,
            "UNSET": UNSET,
            "GiveUp": GiveUp,
            "len": len,
            "min": min,
            "max": max,
            "any": any,
            "all": all,
            "enumerate": enumerate,
        }


def _key(rule: Rule) -> tuple[bool, int]:
    return (rule.kind is StepKind.ASSERT, rule.subject)


__all__ = ["HELD", "VIOLATED", "Aborted", "DirectRules"]
