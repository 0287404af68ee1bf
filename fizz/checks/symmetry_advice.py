"""Warning W6: symmetric values are kept in an order, which distinguishes them (language page, section 11)."""

from __future__ import annotations

from collections.abc import Iterator

from fizz.checks.declarations import Declarations
from fizz.checks.scope import Messages
from fizz.syntax import ast
from fizz.syntax.tree_walk import all_statements, is_self, names_of, own_expressions, subexpressions

_LIST_METHODS = ("append", "insert", "extend")
_DRAWN = ("fresh", "choose")
_LISTED = ("values", "choices")
_UNORDERED_DOMAINS = ("nominal", "rotational")
_HINT = "the order distinguishes them: use `bag`, `set` or a dict keyed by id"


def advise_symmetry(model: Declarations, messages: Messages) -> None:
    """Looks for instances and ids of symmetric roles and for symmetric values in lists and in role params."""
    declared = _Declared(model)
    if not declared.anything:
        return
    for item in model.items:
        match item:
            case ast.Action(body=body) | ast.Function(body=body):
                _Body(declared, None, body).advise(messages)
            case ast.Role(actions=actions, functions=functions):
                for body in [*(action.body for action in actions), *(function.body for function in functions)]:
                    _Body(declared, item, body).advise(messages)


class _Declared:
    """The symmetric roles; the constants that are tuples of symmetric values, or domains without an order."""

    def __init__(self, model: Declarations) -> None:
        self.roles = {name for name, role in model.roles.items() if role.symmetric}
        self.all_roles = set(model.roles)
        self.families: set[str] = set()
        self.domains: set[str] = set()
        for item in model.items:
            if isinstance(item, ast.ConstantStatement) and isinstance(item.statement, ast.Assign):
                names = {name.id for target in item.statement.targets for name in names_of(target)}
                match item.statement.value:
                    case ast.Call(function=ast.Name(id="symmetric_values")):
                        self.families |= names
                    case ast.Call(function=ast.Attribute(value=ast.Name(id="symmetry"), name=kind)):
                        self.domains |= names if kind in _UNORDERED_DOMAINS else set()

    @property
    def anything(self) -> bool:
        return bool(self.roles or self.families or self.domains)


class _Body:
    """One action or func. `values` are the names that stand for symmetric values in it, `counters` for numbers."""

    def __init__(self, declared: _Declared, role: ast.Role | None, body: ast.Block) -> None:
        self.declared = declared
        self.in_symmetric_role = role is not None and role.symmetric
        self.statements = list(all_statements(body))
        self.values: set[str] = set()
        self.counters: set[str] = set()
        for names, source in self._bindings():
            if self._several(source):
                self.values |= names
            elif isinstance(source, ast.Call) and _named(source) in ("range", "enumerate"):
                self.counters |= names

    def _bindings(self) -> Iterator[tuple[set[str], ast.Expression]]:
        """Loop, choice and comprehension variables, with the expression whose elements they take."""
        for statement in self.statements:
            match statement:
                case ast.For() | ast.ChooseBlock():
                    yield set(statement.variables.names), statement.iterable
                case ast.Choose():
                    yield {name.id for name in names_of(statement.target)}, statement.iterable
            for expression in own_expressions(statement):
                for inner in subexpressions(expression):
                    if isinstance(inner, ast.Comprehension):
                        for clause in inner.clauses:
                            if isinstance(clause, ast.ComprehensionFor):
                                yield set(clause.variables.names), clause.iterable

    # --- what is symmetric -----------------------------------------------------------------------------------------

    def _several(self, node: ast.Expression) -> bool:
        """Whether an expression is a collection of symmetric values."""
        match node:
            case ast.Name(id=name):
                return name in self.declared.families
            case ast.Call(function=ast.Attribute(value=ast.Name(id=name), name=method)):
                return name in self.declared.domains and method in _LISTED
        return False

    def _symmetric(self, node: ast.Expression) -> str | None:
        """A description of the symmetric value that an expression denotes; None if it is not symmetric."""
        match node:
            case ast.Call(function=ast.Name(id=name)) if name in self.declared.roles:
                return f"an instance of the symmetric role '{name}'"
            case ast.Call(function=ast.Attribute(value=ast.Name(id=name), name=method)):
                return "a symmetric value" if name in self.declared.domains and method in _DRAWN else None
            case ast.Attribute(value=owner, name="__id__"):
                return "the id of a symmetric instance" if self._symmetric(owner) is not None else None
            case ast.Index(value=ast.Name(id=name)):
                return "a symmetric value" if name in self.declared.families else None
            case ast.Name(id=name):
                if is_self(node) and self.in_symmetric_role:
                    return "an instance of a symmetric role"
                return "a symmetric value" if name in self.values else None
        return None

    # --- where it is kept in an order ------------------------------------------------------------------------------

    def advise(self, messages: Messages) -> None:
        """Give the warnings."""
        for statement in self.statements:
            stored = isinstance(statement, ast.Assign | ast.AugmentedAssign)
            for expression in own_expressions(statement):
                for kept in self._kept_in_order(expression, stored):
                    what = self._symmetric(kept) or ("a symmetric value" if self._several(kept) else None)
                    if what is not None:
                        messages.warning("W6", f"{what} is kept in a list", kept.span, _HINT)
                for call in subexpressions(expression):
                    if isinstance(call, ast.Call) and _named(call) in self.declared.all_roles:
                        self._params(call, messages)

    def _kept_in_order(self, value: ast.Expression, stored: bool) -> Iterator[ast.Expression]:
        """The elements of lists that an expression stores or extends."""
        lists = [value] if stored else []
        for inner in subexpressions(value):
            match inner:
                case ast.Call(function=ast.Attribute(name=method)) if method in _LIST_METHODS:
                    for argument in inner.arguments:
                        yield argument.value
                        lists.append(argument.value)
                case ast.DictExpression():
                    lists += [element for _, element in inner.pairs]
        for node in lists:
            match node:
                case ast.ListExpression(items=items):
                    yield from items
                case ast.Comprehension(kind="list", element=element):
                    yield element
                case ast.Call(function=ast.Name(id="list"), arguments=[ast.Argument(value=source)]):
                    yield source

    def _params(self, call: ast.Call, messages: Messages) -> None:
        name = _named(call)
        for argument in call.arguments:
            value = argument.value
            counted = isinstance(value, ast.Name) and value.id in self.counters and name in self.declared.roles
            if counted:
                text = f"param '{argument.name}' numbers the instances of the symmetric role '{name}'"
                messages.warning("W6", text, value.span, "instances with different params are never alike")
            elif isinstance(value, ast.Index) and self._symmetric(value):
                text = f"param '{argument.name}' of role '{name}' is a symmetric value by its position"
                messages.warning("W6", text, value.span, _HINT)


def _named(call: ast.Call) -> str | None:
    return call.function.id if isinstance(call.function, ast.Name) else None
