"""The mutants of a model, made on its syntax tree: each differs from it in one place.

Guards are dropped, comparisons, constants and operators changed, assignments exchanged, statements dropped and moved,
fairness and atomicity weakened or strengthened. Assertions, and what only they use, stay as they are: they are what is
tested. (Which changes show most: Offutt et al., "An experimental determination of sufficient mutant operators", 1996.)
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, assert_never

from fizz import Module, Span
from fizz.syntax import ast
from fizz.syntax.printer import print_module
from fizz.syntax.tree_walk import nodes_in, with_nodes

_COMPARISONS: Final = {
    "==": ("!=",),
    "!=": ("==",),
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "in": ("not in",),
    "not in": ("in",),
}
_ARITHMETIC: Final = {"+": "-", "-": "+", "*": "+", "//": "*", "%": "+", "|": "&", "&": "|"}
_WEAKER: Final[dict[ast.Fairness, ast.Fairness | None]] = {"strong": "weak", "weak": None}
_STRONGER: Final[dict[ast.Fairness | None, ast.Fairness]] = {None: "weak", "weak": "strong"}

WEAKENED: Final = "fairness weakened"
STRENGTHENED: Final = "fairness strengthened"
_MOVED: Final = "statement moved down"


class Edit(NamedTuple):
    """What is done where, to which node, and what stands in its place; None: it is dropped from its block."""

    what: str
    span: Span
    node: ast.Node
    new: ast.Node | None


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed model. `change` says in a few words what was done, at `span`; `diff` has the lines before and after."""

    number: int
    change: str
    span: Span
    diff: tuple[str, ...]
    items: tuple[ast.Item, ...]


def mutants_of(module: Module) -> list[Mutant]:
    """All mutants of a model, in the order of their places, no two of them alike."""
    found: list[Mutant] = []
    used = _used_by_behaviour(module.items)
    met: set[str] = set()
    for index, item in enumerate(module.items):
        if not _behaves(item, used):
            continue
        before = print_module([item]).splitlines()
        for what, span, node, new in sorted(_changes(item), key=lambda change: change.span):
            changed = _with(item, node, new)
            after = print_module([changed]).splitlines()
            text = "\n".join(after)
            key = f"{index}\n{text}"
            if after == before or key in met:
                continue
            met.add(key)
            items = (*module.items[:index], changed, *module.items[index + 1 :])
            found.append(Mutant(len(found) + 1, what, span, _diff(before, after, what), items))
    return found


def _diff(before: list[str], after: list[str], what: str) -> tuple[str, ...]:
    """The lines that differ, as in a unified diff, without the common indentation; what moved with its neighbours."""
    lines = [
        line
        for line in difflib.unified_diff(before, after, n=int(what == _MOVED), lineterm="")
        if line[:3] not in ("---", "+++")
    ]
    shown = [line for line in lines if not line.startswith("@@") and line[1:].strip()]
    margin = min((len(line[1:]) - len(line[1:].lstrip()) for line in shown), default=0)
    return tuple(f"{line[0]} {line[1 + margin :]}" for line in shown)


def _used_by_behaviour(items: tuple[ast.Item, ...]) -> frozenset[str]:
    """The names that actions, funcs and roles mention, and what they use in turn."""
    named = {_name_of(item): _mentioned(_behaviour(item)) for item in items if not isinstance(item, ast.Assertion)}
    roots = [item for item in items if isinstance(item, ast.Action | ast.Function | ast.Role)]
    waiting = [name for item in roots for name in _mentioned(_behaviour(item))]
    found: set[str] = set()
    bound = {
        name.id: _mentioned(item)
        for item in items
        if isinstance(item, ast.ConstantStatement)
        for name in nodes_in(item)
        if isinstance(name, ast.Name)
    }
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [*named.get(name, ()), *bound.get(name, ())]
    return frozenset(found)


def _behaviour(item: ast.Item) -> object:
    """An item without the assertions in it."""
    return replace(item, assertions=()) if isinstance(item, ast.Role) else item


def _is_given(value: ast.Expression) -> bool:
    """Whether the value of a constant is a literal, or several, also in lists."""
    if isinstance(value, ast.TupleExpression | ast.ListExpression):
        return all(_is_given(one) for one in value.items)
    return isinstance(value, ast.Literal) or (isinstance(value, ast.Unary) and _is_given(value.operand))


def _name_of(item: ast.Item) -> str:
    return item.helper.name if isinstance(item, ast.TopHelper) else str(getattr(item, "name", ""))


def _mentioned(part: object) -> set[str]:
    return {node.id for node in nodes_in(part) if isinstance(node, ast.Name)}


def _behaves(item: ast.Item, used: frozenset[str]) -> bool:
    match item:
        case ast.Action() | ast.Function() | ast.Role():
            return True
        case ast.TopHelper():
            return item.helper.name in used
        case ast.ConstantStatement(statement=ast.Assign(value=value)) if _is_given(value):
            return False  # a parameter: another value makes another model, not a faulty one
        case ast.ConstantStatement():
            return bool(_mentioned(item) & used)
        case ast.Assertion() | ast.Include() | ast.RefinesLine() | ast.Entries():
            return False
        case _:
            assert_never(item)


def _with(item: ast.Item, node: ast.Node, new: ast.Node | None) -> ast.Item:
    """The item with another node in the place of one, or a block without a statement."""
    if new is None:

        def without(part: ast.Node) -> ast.Node | None:
            if not isinstance(part, ast.Block) or all(one is not node for one in part.statements):
                return None
            rest = tuple(one for one in part.statements if one is not node)
            return replace(part, statements=rest or (ast.Pass(node.span),))

        changed: Any = with_nodes(item, without)
    else:
        changed = with_nodes(item, lambda part: new if part is node else None)
    assert isinstance(changed, ast.Item)
    return changed


def _changes(item: ast.Item) -> Iterator[Edit]:
    """All changes of an item; nothing in an assertion changes."""
    for node in nodes_in(_behaviour(item)):
        for change in _CHANGES:
            yield from change(node)


# --- changes ---------------------------------------------------------------------------------------------------------


def _of_guards(node: ast.Node) -> Iterator[Edit]:
    if isinstance(node, ast.Require):
        yield Edit("guard dropped", node.span, node, None)
    elif isinstance(node, ast.If):
        for index, (condition, block) in enumerate(node.branches):
            branches = (*node.branches[:index], (ast.Literal(condition.span, True), block), *node.branches[index + 1 :])
            if not (isinstance(condition, ast.Literal) and condition.value is True):
                yield Edit("condition always true", node.span, node, replace(node, branches=branches))
        if node.orelse is not None:
            yield Edit("else dropped", node.span, node, replace(node, orelse=None))
    elif isinstance(node, ast.Choose) and node.condition is not None:
        yield Edit("filter dropped", node.span, node, replace(node, condition=None))


def _of_operators(node: ast.Node) -> Iterator[Edit]:
    if isinstance(node, ast.Binary):
        for operator in _COMPARISONS.get(node.operator, ()):
            yield Edit("comparison changed", node.span, node, replace(node, operator=operator))
        if node.operator in _ARITHMETIC:
            yield Edit("operator changed", node.span, node, replace(node, operator=_ARITHMETIC[node.operator]))
    elif isinstance(node, ast.Logical):
        yield Edit(
            "and and or exchanged", node.span, node, replace(node, operator="or" if node.operator == "and" else "and")
        )
        yield Edit("condition dropped", node.span, node, node.left)
        yield Edit("condition dropped", node.span, node, node.right)
    elif isinstance(node, ast.Unary) and node.operator == "not":
        yield Edit("not dropped", node.span, node, node.operand)
    elif isinstance(node, ast.AugmentedAssign) and node.operator in _ARITHMETIC:
        yield Edit("operator changed", node.span, node, replace(node, operator=_ARITHMETIC[node.operator]))
    elif isinstance(node, ast.Conditional):
        yield Edit("alternatives exchanged", node.span, node, replace(node, body=node.orelse, orelse=node.body))


def _of_constants(node: ast.Node) -> Iterator[Edit]:
    if not isinstance(node, ast.Literal):
        return
    value = node.value
    if isinstance(value, bool):
        yield Edit("constant changed", node.span, node, replace(node, value=not value))
    elif isinstance(value, int):
        yield Edit("constant changed", node.span, node, replace(node, value=value + 1))
        if value > 0:
            yield Edit("constant changed", node.span, node, replace(node, value=value - 1))


def _of_statements(node: ast.Node) -> Iterator[Edit]:
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.TupleExpression):
        items = node.value.items
        for index in range(len(items) - 1):
            swapped = (*items[:index], items[index + 1], items[index], *items[index + 2 :])
            yield Edit(
                "assignments exchanged", node.span, node, replace(node, value=replace(node.value, items=swapped))
            )
    if not isinstance(node, ast.Block):
        return
    statements = node.statements
    for index, statement in enumerate(statements):
        if not isinstance(statement, ast.Require | ast.Pass | ast.Helper):
            yield Edit("statement dropped", statement.span, statement, None)
        if index + 1 < len(statements):
            moved = (*statements[:index], statements[index + 1], statement, *statements[index + 2 :])
            yield Edit(_MOVED, statement.span, node, replace(node, statements=moved))


def _of_scheduling(node: ast.Node) -> Iterator[Edit]:
    if isinstance(node, ast.Action):
        if node.fairness is not None:
            yield Edit(WEAKENED, node.name_span, node, replace(node, fairness=_WEAKER[node.fairness]))
        if node.fairness in _STRONGER and node.name != "Init":
            yield Edit(STRENGTHENED, node.name_span, node, replace(node, fairness=_STRONGER[node.fairness]))
    if isinstance(node, ast.Choose | ast.ChooseBlock):
        fairness: ast.Fairness | None = None if node.fairness else "weak"
        what = WEAKENED if node.fairness else STRENGTHENED
        yield Edit(what, node.span, node, replace(node, fairness=fairness))
    if isinstance(node, ast.Action | ast.Function) and node.name != "Init":
        if node.flow == "atomic":
            yield Edit("no longer atomic", node.name_span, node, replace(node, flow=None))
        elif node.flow in (None, "serial"):
            yield Edit("made atomic", node.name_span, node, replace(node, flow="atomic"))


_CHANGES: Final[tuple[Callable[[ast.Node], Iterator[Edit]], ...]] = (
    _of_guards,
    _of_operators,
    _of_constants,
    _of_statements,
    _of_scheduling,
)
