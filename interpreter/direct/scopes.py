"""What names refer to in the rules that are run directly: state variables, fields of `self`, locals, constants, `def`s.

State variables and fields of `self` are variables of Python, loaded from the state before the first statement and
compared with what was loaded at the end of a path. They are positions in the states of one layout.
"""

from __future__ import annotations

import ast as python
from collections.abc import Callable, Mapping, Sequence, Set
from itertools import islice
from typing import Any, Final, NamedTuple, TypeGuard, get_args

from fizz import Span
from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in, parts
from interpreter.compile import program as p
from interpreter.direct.direct_expressions import Compiled, Unsupported, call, constant, name
from interpreter.direct.nodes import GiveUp, Nodes
from interpreter.execute.environment import Closure
from interpreter.execute.names import Globals
from interpreter.values.freeze import freeze
from interpreter.values.problem import ModelMistake


class Shared:
    """What all rules of one machine have in common: kept values, marks of statements, and `def`s."""

    def __init__(self, program: p.Program, known: Globals, nodes: Nodes) -> None:
        self.program = program
        self.known = known
        self.nodes = nodes
        self.kept: dict[str, Any] = {}
        """By name, the values that code refers to: they are bound when the code is executed."""
        self.marks: list[tuple[Span, ...]] = []
        self.noted: list[bool] = []
        self._by_value: dict[object, str] = {}
        self._sources = {one.name: one for one in program.constants if isinstance(one, ast.Helper)}
        self.methods: dict[str, list[tuple[str, ast.Helper]]] = {}
        for role in program.roles:
            for one in role.helpers:
                self.methods.setdefault(one.name, []).append((role.name, one))
        self.looking = {*self._sources, *[f".{one}" for one in self.methods]}
        sources = [*self._sources.values(), *[one for found in self.methods.values() for _, one in found]]
        self.looked_at = {root for one in sources for root in roots_of(one) if root.startswith(".")}

    def keep(self, value: Any) -> str:
        """A name for a value."""
        token = (type(value), value)
        known = self._by_value.get(token)
        if known is None:
            known = self._by_value[token] = f"k{len(self.kept)}"
            self.kept[known] = value
        return known

    def mark(self, spans: tuple[Span, ...]) -> int:
        """The number of a mark: these are noted as executed when it is met first."""
        self.marks.append(spans)
        self.noted.append(False)
        return len(self.marks) - 1

    def constant(self, identifier: str) -> Compiled:
        """The value of a constant."""
        value = self.known.constants[identifier]
        if type(value) is range:
            return Compiled(name(self.keep(value)), "range", True)
        try:
            node = self.nodes[freeze(value, self.nodes.interner)]
        except (GiveUp, ModelMistake):
            raise Unsupported(f"the constant {identifier}") from None
        if type(node) in (bool, int, str) or node is None:
            kind = {bool: "bool", int: "int", str: "str", type(None): "none"}[type(node)]
            return Compiled(constant(node), kind, True)
        return Compiled(name(self.keep(node)))

    def closure(self, identifier: str) -> ast.Helper | None:
        """The text of a `def` at the top level; None if the name is no function."""
        value = self.known.constants.get(identifier)
        if not isinstance(value, Closure):
            return None
        source = self._sources.get(identifier)
        if source is None or value.name != identifier:
            raise Unsupported(f"the function {identifier}")
        return source

    def method(self, identifier: str) -> tuple[str, ast.Helper] | None:
        """The role and the text of a `def` in a role; None if there is none."""
        found = self.methods.get(identifier, [])
        if len(found) > 1:
            raise Unsupported("a method of several roles")
        return found[0] if found else None

    def roots(self, node: ast.Node) -> set[str]:
        """The names that a value may come from; those that `def`s look at, too."""
        found = roots_of(node)
        if found & self.looking:
            found |= self.looked_at
        return found


class Names:
    """The names that routines and `def`s have in common."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.nodes = shared.nodes
        self.assigned: set[str] = set()
        """The locals that surely have a value."""
        self.prefix = "v_"
        self._bound: list[str] = []
        self._borrowed: set[str] = set()
        self._changed: set[str] = set()
        self._augmented: list[tuple[str, python.Call]] = []
        self._perhaps: list[tuple[str, python.Assign]] = []

    def locals(self) -> frozenset[str]:
        """The names of the variables."""
        raise NotImplementedError

    def read(self, identifier: str) -> Compiled:
        """The value of a name."""
        raise NotImplementedError

    def field(self, owner: Compiled, attribute: str) -> Compiled:
        """A field of what `owner` is: a struct, a record or a role instance."""
        raise NotImplementedError

    def myself(self, attribute: str) -> Compiled:
        """A field of `self`."""
        raise NotImplementedError

    def of_side(self, owner: ast.Expression, attribute: str) -> Compiled | None:
        """A variable of the state before or after a step; None if the owner is no name of such a state."""
        return None

    def mark(self, part: ast.Expression, code: python.expr) -> python.expr:
        """The same value; that the part was evaluated is noted, where that matters."""
        raise NotImplementedError

    def keep(self, value: Any) -> str:
        return self.shared.keep(value)

    @property
    def rule(self) -> RuleScope:
        """The rule that the code is a part of."""
        raise NotImplementedError

    def helper(self, identifier: str) -> str | None:
        if identifier in self._bound or identifier in self.locals():
            return None
        if identifier in self.shared.known.reserved or identifier in self.shared.known.state_variables:
            return None
        source = self.shared.closure(identifier)
        return None if source is None else self.rule.helper_function(f"d_{identifier}", source)

    def method(self, identifier: str) -> tuple[str, str] | None:
        found = self.shared.method(identifier)
        if found is None:
            return None
        role, source = found
        self.rule.methods.add(identifier)
        return role, self.rule.helper_function(f"m_{identifier}", source)

    def shadowed(self, identifier: str) -> bool:
        known = self.shared.known
        return (
            identifier in self._bound
            or identifier in self.locals()
            or identifier in known.reserved
            or identifier in known.state_variables
            or identifier in known.constants
        )

    def variable(self, identifier: str) -> str:
        return self.prefix + identifier

    def bind(self, identifier: str) -> None:
        self._bound.append(identifier)

    def unbind(self, identifier: str) -> None:
        self._bound.remove(identifier)

    def local(self, identifier: str) -> Compiled | None:
        """The value of a variable, None if the name is none."""
        if identifier in self._bound:
            return Compiled(name(self.variable(identifier)))
        if identifier not in self.locals():
            return None
        if identifier in self.assigned:
            return Compiled(name(self.variable(identifier)))
        return Compiled(call("bound", name(self.variable(identifier))))

    def beyond(self, identifier: str) -> Compiled:
        """The value of a name that is no variable."""
        known = self.shared.known
        if identifier in known.reserved:
            raise Unsupported(identifier)
        if identifier in known.constants and not isinstance(known.constants[identifier], Closure):
            return self.shared.constant(identifier)
        raise Unsupported(identifier)

    def borrowed(self, identifier: str) -> None:
        """A local may refer to a container that something else owns."""
        self._borrowed.add(self.variable(identifier))

    def loop_variable(self, identifier: str) -> None:
        if identifier in self.shared.known.state_variables:
            raise Unsupported("a loop variable called like a state variable")
        self._borrowed.add(self.variable(identifier))

    def changed(self, identifier: str, statement: python.Assign | None) -> None:
        """A container in a local is changed: it may not be one that something else owns.

        `statement`: the assignment of the value after it, which may be one that is never reached.
        """
        if identifier in self._bound:
            raise Unsupported("a change of a variable of a comprehension")
        if identifier in self.locals():
            if statement is None:
                self._changed.add(self.variable(identifier))
            else:
                self._perhaps.append((self.variable(identifier), statement))

    def unshared(self, identifier: str, operation: python.Call) -> None:
        """An augmented assignment to a local: it must be no container, if it may be one of something else."""
        self._augmented.append((self.variable(identifier), operation))

    def check(self) -> None:
        """Raise if a local that is changed may refer to what something else owns."""
        if self._changed & self._borrowed:
            raise Unsupported("a change through a second name")
        for identifier, statement in self._perhaps:
            if identifier in self._borrowed:
                statement.value = call("give_up")
        for identifier, operation in self._augmented:
            if identifier in self._borrowed:
                operation.args[:-1] = [*operation.args[:-2], call("plain", operation.args[-2])]


class CallNames(NamedTuple):
    """What the names of one call refer to: see `RuleScope.enter`."""

    routine: p.Routine
    prefix: str
    me: str | None
    locals: frozenset[str]
    assigned: set[str]
    bound: list[str]


class RuleScope(Names):
    """The names of one action or assertion of the program, and of the funcs that it calls, in states of any layout.

    `dynamic`: the attributes of role instances that are written through other names than `self`. Their values on a path
    are in `W`, by position. `sides`: the names of the states "before" and "after" a step, of an assertion about steps.
    """

    def __init__(
        self,
        routine: p.Routine,
        shared: Shared,
        dynamic: Set[str],
        compile_def: Callable[[ast.Helper, RuleScope, str], python.stmt],
        sides: Mapping[str, str],
    ) -> None:
        super().__init__(shared)
        self._compile_def = compile_def
        if sides.keys() & (routine.bound | shared.known.state_variables):
            raise Unsupported("a variable called like a state")
        self._sides = sides
        self.wholes: set[str] = set()
        """The sides that are also used as a whole: the positions of their variables are in `c_before` and `c_after`."""
        self.dynamic = dynamic
        self.first = routine
        self.routine = routine
        self.me = None if routine.role is None else "me"
        """The variable that `self` is: "me" is that of the rule, whose fields are variables."""
        self._frames = 0
        self._locals: frozenset[str] = self._locals_of(routine)
        self.all_locals: set[str] = {f"v_{one}" for one in self._locals}
        self.labels = False
        """Whether labels are collected."""
        self.fair = False
        """Whether fair choices are collected."""
        self.functions: list[python.stmt] = []
        """The `def`s that the rule calls."""
        self.methods: set[str] = set()
        """The names of `def`s of roles that it calls: no field may have one."""
        self._helpers: dict[str, str | None] = {}
        self.slots: dict[str, tuple[str, str]] = {}
        """By variable of Python, what it is loaded from: ("heap", name), ("before", name) or ("field", name)."""
        self.loaded: set[str] = set()
        self.stored: set[str] = set()
        self.tables: dict[str, str] = {}
        """By variable, the attribute of instances that it finds the positions of."""
        self.marked_parts = routine.kind == "assertion"
        self._open: list[python.FunctionDef] = []
        self._calls: list[tuple[python.Call, python.expr | None, python.expr | None]] = []
        self._ends: list[tuple[python.If, python.expr]] = []

    @property
    def rule(self) -> RuleScope:
        return self

    def helper_function(self, title: str, source: ast.Helper) -> str:
        """The function that stands for a `def`."""
        if title not in self._helpers:
            self._helpers[title] = None  # one that calls itself is not done directly
            self.functions.append(self._compile_def(source, self, title))
            self._helpers[title] = title
        found = self._helpers[title]
        if found is None:
            raise Unsupported(f"the function {source.name}")
        return found

    def state(self) -> list[python.expr]:
        """What a function needs to read fields."""
        return [name("V"), name("W")] if self.dynamic else [name("V")]

    def _locals_of(self, routine: p.Routine) -> frozenset[str]:
        states = self.shared.known.state_variables
        if any(parameter.name in states for parameter in routine.parameters):
            raise Unsupported("a parameter called like a state variable")
        return frozenset(routine.bound - states)

    def enter(self, routine: p.Routine, me: str | None) -> CallNames:
        """The names are those of a call from now on; returns the frame of the caller."""
        before = self.leave(None)
        self._frames += 1
        prefix = f"v{self._frames}_"
        known = self._locals_of(routine)
        self.all_locals |= {prefix + one for one in known}
        self.leave(CallNames(routine, prefix, me, known, set(), []))
        return before

    def leave(self, frame: CallNames | None) -> CallNames:
        """The names are those of this frame from now on; returns the frame before."""
        before = CallNames(self.routine, self.prefix, self.me, self._locals, self.assigned, self._bound)
        if frame is not None:
            self.routine, self.prefix, self.me, self._locals, self.assigned, self._bound = frame
        return before

    def own(self, kind: str) -> str:
        """A new variable of the present frame."""
        made = f"{kind}{self._frames}"
        self.all_locals.add(made)
        return made

    def locals(self) -> frozenset[str]:
        return self._locals

    def read(self, identifier: str) -> Compiled:
        found = self.local(identifier)
        if found is not None:
            return found
        if identifier == "self":
            if self.me is None:
                raise Unsupported("self")
            return Compiled(name(self.me), "any", True)
        if identifier in self.shared.known.state_variables:
            return self._variable("h", "heap", identifier)
        side = self._side(identifier)
        if side is not None:
            self.wholes.add(side)
            values = name("V" if side == "after" else "B")
            return Compiled(call("state_struct", values, name(f"c_{side}")))
        return self.beyond(identifier)

    def _variable(self, letter: str, kind: str, identifier: str) -> Compiled:
        variable = f"{letter}_{identifier}"
        self.slots[variable] = (kind, identifier)
        self.loaded.add(variable)
        return Compiled(name(variable))

    def _side(self, identifier: str) -> str | None:
        """The state of a step that a name of the assertion itself refers to."""
        seen = self.routine is self.first and identifier not in self._bound
        return self._sides.get(identifier) if seen else None

    def of_side(self, owner: ast.Expression, attribute: str) -> Compiled | None:
        side = self._side(owner.id) if isinstance(owner, ast.Name) else None
        if side is None:
            return None
        if attribute not in self.shared.known.state_variables:
            raise Unsupported("a name that is no state variable")
        return self._variable("h", "heap", attribute) if side == "after" else self._variable("b", "before", attribute)

    def static(self, attribute: str) -> bool:
        """Whether a field of `self` is a variable."""
        return self.me == "me" and attribute not in self.dynamic

    def myself(self, attribute: str) -> Compiled:
        if not self.static(attribute):
            return self.field(self.read("self"), attribute)
        variable = self._field(attribute)
        self.loaded.add(variable)
        return Compiled(name(variable))

    def _field(self, attribute: str) -> str:
        if self.routine.role is None or attribute.startswith("_"):
            raise Unsupported("self")
        variable = f"f_{attribute}"
        self.slots[variable] = ("field", attribute)
        return variable

    def table(self, attribute: str) -> python.expr:
        """The positions of an attribute."""
        if attribute.startswith("_"):
            raise Unsupported(attribute)
        self.tables[f"t_{attribute}"] = attribute
        return name(f"t_{attribute}")

    def field(self, owner: Compiled, attribute: str) -> Compiled:
        if attribute in self.dynamic:
            return Compiled(call("field_now", owner.code, self.table(attribute), name("V"), name("W")))
        table = self.table(attribute)
        if not isinstance(owner.code, python.Name):
            return Compiled(call("field", owner.code, table, name("V")))
        # As `field`, without a call.
        fields = python.Attribute(owner.code, "fields", python.Load())
        position = _at(name("V"), _at(table, owner.code))
        known = _at(fields, constant(attribute))
        return Compiled(python.IfExp(fields, known, _at(name("nodes"), position)))

    def is_local(self, target: ast.Expression) -> bool:
        return isinstance(target, ast.Name) and target.id not in self.shared.known.state_variables

    def written(self, identifier: str) -> str:
        """The variable of a name that is assigned."""
        if identifier in self._bound:
            raise Unsupported("a variable of a comprehension")
        if identifier in self.shared.known.state_variables:
            variable = f"h_{identifier}"
            self.slots[variable] = ("heap", identifier)
            self.stored.add(variable)
            return variable
        if identifier not in self._locals:
            raise Unsupported("a change of a constant")
        self.assigned.add(identifier)
        return self.variable(identifier)

    def written_field(self, attribute: str) -> str:
        variable = self._field(attribute)
        self.stored.add(variable)
        return variable

    def marks(self, spans: tuple[Span, ...]) -> int:
        return self.shared.mark(spans)

    def mark(self, part: ast.Expression, code: python.expr) -> python.expr:
        if not self.marked_parts or isinstance(part, ast.Literal):
            return code
        number = self.shared.mark((part.span,))
        noted = python.BoolOp(
            python.Or(),
            [python.Subscript(name("M"), constant(number), python.Load()), call("mark", constant(number))],
        )
        return python.BoolOp(python.And(), [noted, code])

    # --- the rest of a path ----------------------------------------------------------------------------------------

    VARIABLES: Final = "*variables"
    """Stands for all variables that a path changes: they are known when the whole rule is compiled."""

    def function(self, title: str, first: Sequence[str], body: list[python.stmt]) -> python.stmt:
        """A function with all variables as arguments, after the `first` ones."""
        made = function(title, [*first, self.VARIABLES], body)
        self._open.append(made)
        return made

    def call_of(
        self,
        title: str,
        first: Sequence[python.expr],
        taken: python.expr | None = None,
        text: python.expr | None = None,
    ) -> python.expr:
        """A call of such a function, after a choice with this alternative."""
        made = python.Call(name(title), [*first, name(self.VARIABLES)], [])
        self._calls.append((made, taken, text))
        return made

    def complete(self, statements: list[python.stmt]) -> set[str]:
        """Give functions and calls the variables that they need, and return those of the whole rule."""
        self._close()
        variables = self.variables()
        known = set(variables)
        uses = {opened.name: _names_in(opened.body) for opened in self._open}
        needs = {title: found & known for title, found in uses.items()}
        changed = True
        while changed:
            changed = False
            for title, found in uses.items():
                more = set[str]().union(*[needs[called] for called in found & needs.keys()]) - needs[title]
                changed = changed or bool(more)
                needs[title] |= more
        for opened in self._open:
            opened.args.args[-1:] = [python.arg(one) for one in variables if one in needs[opened.name]]
        for made, taken, text in self._calls:
            assert isinstance(made.func, python.Name)
            added = {"forks": taken, "texts": text}
            made.args[-1:] = [_extended(one, added.get(one)) for one in variables if one in needs[made.func.id]]
        own = _names_in(statements)
        return (own & known).union(*[needs[called] for called in own & needs.keys()])

    def variables(self) -> list[str]:
        """The variables that a path changes."""
        more = [
            *(["W"] if self.dynamic else []),
            *(["labels"] if self.labels else []),
            *(["fair"] if self.fair else []),
        ]
        return [*sorted(self.stored), *sorted(self.all_locals), *more, "E", "forks", "texts"]

    def finish(self, returned: python.expr | None) -> python.stmt:
        """The statements that make the outcome of a path; they are filled in when all variables are known."""
        made = python.If(constant(True), [], [])
        self._ends.append((made, constant(None) if returned is None else returned))
        return made

    def _close(self) -> None:
        """Fill in the ends of paths: they compare each stored variable with what was loaded."""
        nothing = python.Tuple([], python.Load())
        writes: list[python.stmt] = [python.Assign([python.Name("Y", python.Store())], nothing)]
        for one in sorted(self.stored):
            loaded = one in self.loaded
            before = _at(name("V"), name(f"p_{one}")) if loaded else constant(None)
            test = python.Compare(name(one), [python.IsNot()], [name(f"o_{one}" if loaded else "UNSET")])
            change = call("written", name("Y"), name(one), name(f"s_{one}"), before)
            writes.append(python.If(test, [python.Assign([python.Name("Y", python.Store())], change)], []))
        for made, returned in self._ends:
            arguments = [
                name("out"), name("Y"), name("forks"), name("texts"), returned, name("label"),
                name("labels") if self.labels else nothing, name("fair") if self.fair else nothing,
                *([name("V"), name("W"), name("slots")] if self.dynamic else []),
            ]  # fmt: skip
            made.body = [*writes, python.Expr(call("finish", *arguments))]


def _extended(variable: str, added: python.expr | None) -> python.expr:
    if added is None:
        return name(variable)
    return python.BinOp(name(variable), python.Add(), python.Tuple([added], python.Load()))


def _names_in(statements: Sequence[python.AST]) -> set[str]:
    """The names that statements read or call, without those in functions defined there."""
    found: set[str] = set()
    waiting: list[python.AST] = list(statements)
    while waiting:
        part = waiting.pop()
        if isinstance(part, python.Name):
            if isinstance(part.ctx, python.Load):
                found.add(part.id)
        elif not isinstance(part, python.FunctionDef):
            waiting += python.iter_child_nodes(part)
    return found


def _at(owner: python.expr, place: python.expr) -> python.expr:
    return python.Subscript(owner, place, python.Load())


def function(title: str, parameters: Sequence[str], body: list[python.stmt]) -> python.FunctionDef:
    arguments = python.arguments([], [python.arg(one) for one in parameters], None, [], [], None, [])
    return python.FunctionDef(title, arguments, body or [python.Pass()], [], None)


_COMPARISONS: Final = frozenset({"==", "!=", "<", "<=", ">", ">=", "in", "not in"})


def roots_of(node: ast.Node) -> set[str]:
    """The names that the value of an expression may come from: variables, and fields as `.name`, of any instance.

    Of other nodes, those of all expressions in them.
    """
    found: set[str] = set()
    waiting: list[ast.Node] = [node]
    while waiting:
        match waiting.pop():
            case ast.Literal() | ast.FString() | ast.Unary():
                pass  # a scalar
            case ast.Binary(operator=operator) if operator in _COMPARISONS:
                pass
            case ast.Index(value=value) | ast.Slice(value=value):
                waiting.append(value)
            case ast.Conditional(body=body, orelse=orelse):
                waiting += (body, orelse)
            case ast.Name(id=identifier):
                found |= {identifier} - {"self"}
            case ast.Attribute(value=value, name=attribute):
                found.add(f".{attribute}")
                waiting.append(value)
            case other:
                waiting += islice(nodes_in(other), 1, None) if not _is_expression(other) else parts(other)
    return found


def _is_expression(node: ast.Node) -> TypeGuard[ast.Expression]:
    return isinstance(node, get_args(ast.Expression))
