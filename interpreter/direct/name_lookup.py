"""What names refer to in routines and `def`s alike: locals, constants, other `def`s; and what a value may come from."""

from __future__ import annotations

import ast as python
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeGuard, get_args

from fizz import Span
from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in, parts
from interpreter.compile import program as p
from interpreter.direct.forms import Compiled, Unsupported, call, constant, name
from interpreter.direct.nodes import GiveUp, Nodes
from interpreter.execute.environment import Closure
from interpreter.execute.names import Globals
from interpreter.execute.reach import members
from interpreter.values import DictValue, SetValue
from interpreter.values.freeze import freeze
from interpreter.values.problem import ModelMistake

if TYPE_CHECKING:
    from interpreter.direct.scopes import RuleScope


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
            self._note_order(value)
        except (GiveUp, ModelMistake):
            raise Unsupported(f"the constant {identifier}") from None
        if type(node) in (bool, int, str) or node is None:
            kind = {bool: "bool", int: "int", str: "str", type(None): "none"}[type(node)]
            return Compiled(constant(node), kind, True)
        return Compiled(name(self.keep(node)))

    def _note_order(self, value: object) -> None:
        """Note the sets and dicts in a constant whose order of insertion is not the canonical one."""
        interner = self.nodes.interner
        if isinstance(value, SetValue | DictValue):
            number = freeze(value, interner)
            inserted = value.entries.values() if isinstance(value, SetValue) else value.known_keys()
            canonical = [self.nodes.number(item) for item in self.nodes[number].items]
            if [freeze(item, interner) for item in inserted] != canonical:
                self.nodes.unordered.add(number)
        for part in members(value):
            self._note_order(part)

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

    def origin(self, node: ast.Expression) -> Origin:
        """Where the value of an expression may come from."""
        return self._origin(self.roots(node), itself_of(node))

    def origin_in(self, node: ast.Expression) -> Origin:
        """Where an element of the value of an expression may come from."""
        return self._origin(self.roots(node), itself_in(node))

    def _origin(self, roots: set[str], itself: set[str]) -> Origin:
        looked_at = self.looked_at if roots & self.looking else set[str]()
        return Origin(frozenset(roots), frozenset(itself | looked_at))


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
        self._moved: list[tuple[str, python.Call]] = []
        self._compared: set[str] = set()
        self._lists: dict[str, tuple[str, int]] = {}
        """The kind and width of locals that are lists of Python; see `Compiled`."""
        self._read_before: set[str] = set()
        """The locals that were read before a list of Python was bound to them: in a loop they may have one then."""

    def given_away(self, node: ast.Expression) -> bool:
        """Whether a field or variable is named here that gets another value later: then what it held has this owner."""
        return False

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

    def side(self, node: ast.Expression) -> str | None:
        """The state, "before" or "after" a step, that an expression names; None if it is no name of one."""
        return None

    def of_side(self, owner: ast.Expression, attribute: str) -> Compiled | None:
        """A variable of the state before or after a step; None if the owner is no name of such a state."""
        return None

    def next_states(self) -> Compiled:
        """The successors of the state. Raises `Unsupported` where they are not asked for directly."""
        raise Unsupported("next_states")

    def mark(self, part: ast.Expression, code: python.expr) -> python.expr:
        """The same value; that the part was evaluated is noted, where that matters."""
        raise NotImplementedError

    def keep(self, value: Any) -> str:
        return self.shared.keep(value)

    @property
    def rule(self) -> RuleScope:
        """The rule that the code is a part of."""
        raise NotImplementedError

    def helper(self, identifier: str) -> ast.Helper | None:
        """The `def` at the top level that a name refers to here."""
        return self.shared.closure(identifier) if self.is_constant(identifier) else None

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

    def compare(self, identifier: str) -> None:
        """A variable has members in turn that are only compared: they are not asked for, but for what they equal."""
        self._compared.add(self.variable(identifier))

    def is_compared(self, identifier: str) -> bool:
        """Whether a variable has such members."""
        return self.variable(identifier) in self._compared

    def bind(self, identifier: str) -> None:
        self._bound.append(identifier)

    def unbind(self, identifier: str) -> None:
        self._bound.remove(identifier)
        if identifier not in self._bound:
            self._compared.discard(self.variable(identifier))

    def local(self, identifier: str) -> Compiled | None:
        """The value of a variable, None if the name is none."""
        if identifier in self._bound:
            return Compiled(name(self.variable(identifier)))
        if identifier not in self.locals():
            return None
        variable = self.variable(identifier)
        kind, width = self._lists.get(variable, ("any", 0))
        if variable not in self._lists:
            self._read_before.add(variable)
        code = name(variable) if identifier in self.assigned else call("bound", name(variable))
        return Compiled(code, kind, False, width)

    def may_be_listed(self, identifier: str) -> bool:
        """Whether all that reads a local will know that it is a list of Python."""
        return self.variable(identifier) not in self._read_before

    def listed(self, identifier: str, value: Compiled) -> None:
        """A local has a list of Python as its only value."""
        self._lists[self.variable(identifier)] = (value.kind, value.width)

    def is_constant(self, identifier: str) -> bool:
        """Whether a name refers to a constant of the model here."""
        known = self.shared.known
        if identifier not in known.constants or identifier in known.reserved or identifier in known.state_variables:
            return False
        return identifier not in self._bound and identifier not in self.locals()

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

    def is_borrowed(self, identifier: str) -> bool:
        """Whether it may, as far as the text was compiled."""
        return self.variable(identifier) in self._borrowed

    def is_augmented(self, identifier: str) -> bool:
        """Whether there is an augmented assignment to a local, as far as the text was compiled."""
        return any(one == self.variable(identifier) for one, _ in self._augmented)

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

    def moved(self, identifier: str, operation: python.Call) -> None:
        """The container in a local gets another owner: it must be no container, if it may be one of something else."""
        self._moved.append((self.variable(identifier), operation))

    def check(self) -> None:
        """Raise if a local that is changed may refer to what something else owns."""
        if self._changed & self._borrowed:
            raise Unsupported("a change through a second name")
        for identifier, statement in self._perhaps:
            if identifier in self._borrowed:
                statement.value = call("give_up")
        for identifier, operation in self._moved:
            if identifier in self._borrowed:
                operation.func = name("plain")
        for identifier, operation in self._augmented:
            if identifier in self._borrowed:
                operation.args[:-1] = [*operation.args[:-2], call("plain", operation.args[-2])]


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


class Origin(NamedTuple):
    """Where a value may come from: `roots` as `roots_of` gives them, and of these those that may be the value itself,
    while it is a part of what the others are."""

    roots: frozenset[str]
    itself: frozenset[str]

    def meets(self, changed: Origin) -> bool:
        """Whether the value may be changed, or something in it, where containers of such an origin are changed."""
        return bool(self.itself & changed.roots or self.roots & (changed.roots - changed.itself))


def itself_of(node: ast.Expression) -> set[str]:
    """The names that the value of an expression may be, and is not only a part of."""
    if isinstance(node, ast.Conditional):
        return itself_of(node.body) | itself_of(node.orelse)
    if isinstance(node, ast.Attribute):
        return {f".{node.name}"}
    if isinstance(node, ast.Name):
        return {node.id} - {"self"}
    if isinstance(node, ast.Index | ast.Slice):
        return set()
    return roots_of(node)


def itself_in(node: ast.Expression) -> set[str]:
    """The names that an element of the value of an expression may be, and is not only a part of."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Index | ast.Slice):
        return set()
    if isinstance(node, ast.Comprehension) and node.key is None and isinstance(node.element, ast.Name):
        names = (node.element.id,)
        loops = [one for one in node.clauses if isinstance(one, ast.ComprehensionFor)]
        taken = [one.iterable for one in loops if one.variables.names == names]
        if len(taken) == 1:
            return itself_in(taken[0])
    return roots_of(node)


def _is_expression(node: ast.Node) -> TypeGuard[ast.Expression]:
    return isinstance(node, get_args(ast.Expression))
