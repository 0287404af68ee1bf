"""The rules of the search stand in `checker/search/contract` and nowhere else: engines call them.

What is looked for are the shapes that a rule has where it is kept by hand: a comparison with a bound, a sum of starts
or of crash steps, the least of several by crash steps, counts of a level that are set.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

import pytest

from tests.house.test_fences import ROOT, lines, rooms, source

CONTRACT = "checker/search/contract/"
BOUNDS = {"bound", "_bound", "max_actions"}
PATHS = {"starts", "crashes"}
COUNTS = {"states", "least", "cut", "pruned", "frontier"}
CHOICES = {"argmin", "argsort", "lexsort", "min", "reduceat", "sorted"}
CONVERSIONS = {"astype", "int", "take"}
ORDERINGS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def name_of(node: ast.AST) -> str:
    """The last name of a dotted one, also of a part or a method of it."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def names_in(node: ast.AST) -> set[str]:
    return {name_of(inner) for inner in ast.walk(node)}


def ordered(node: ast.AST) -> list[ast.expr]:
    """What is compared by order."""
    if not isinstance(node, ast.Compare) or not any(isinstance(op, ORDERINGS) for op in node.ops):
        return []
    return [node.left, *node.comparators]


def bound_by_hand(node: ast.AST) -> bool:
    """Is something compared with a bound?"""
    return any(name_of(side) in BOUNDS for side in ordered(node))


def starts_by_hand(node: ast.AST) -> bool:
    """Are starts compared?"""
    return any(name_of(side) == "starts" for side in ordered(node))


def is_path_count(node: ast.AST) -> bool:
    """Is it a number of starts or crash steps, or some of a column of them?"""
    while isinstance(node, ast.Call) and name_of(node.func) in CONVERSIONS:
        node = node.func.value if isinstance(node.func, ast.Attribute) else node.args[0]
    return name_of(node) in PATHS


def sum_by_hand(node: ast.AST) -> bool:
    """Do starts or crash steps grow? Room for one more is made with a constant."""
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, ast.Add) and is_path_count(node.target)
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add) or isinstance(node.right, ast.Constant):
        return False
    return is_path_count(node.left) or is_path_count(node.right)


def choice_by_hand(node: ast.AST) -> bool:
    """Is one of several chosen by starts or crash steps?"""
    if any(isinstance(side, ast.Tuple) and PATHS & names_in(side) for side in ordered(node)):
        return True
    if not isinstance(node, ast.Call) or name_of(node.func) not in CHOICES:
        return False
    given = any(PATHS & names_in(part) for part in [*node.args, *[keyword.value for keyword in node.keywords]])
    return given or (name_of(node.func).startswith("arg") and bool(PATHS & names_in(node.func)))


def count_by_hand(node: ast.AST) -> bool:
    """Is a count of a level set?"""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
    return any(isinstance(t, ast.Attribute) and t.attr in COUNTS and name_of(t.value) == "level" for t in targets)


def idle_by_hand(node: ast.AST) -> bool:
    """Is it noted that an action has a step, or where it gives up?"""
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Subscript) and name_of(node.target) == "aborted"
    call = node.func if isinstance(node, ast.Call) else None
    return (
        isinstance(call, ast.Attribute)
        and call.attr in ("add", "update")
        and name_of(call.value)
        in (
            "acted",
            "aborted",
        )
    )


def pruning_by_hand(node: ast.AST) -> bool:
    """Is it asked whether a watch prunes?"""
    return isinstance(node, ast.Attribute) and node.attr == "prunes"


def stage_by_hand(node: ast.AST) -> bool:
    """Is it said where an assertion failed? Steps that fail themselves are the machine's."""
    return isinstance(node, ast.Name) and node.id in ("STATE_STAGE", "TRANSITION_STAGE")


def lack_by_hand(node: ast.AST) -> bool:
    """Is it asked whether a state is cut, or else something about it?"""
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, ast.BitOr) and name_of(node.target) == "cut"
    if isinstance(node, ast.BoolOp):
        return isinstance(node.op, ast.Or) and name_of(node.values[0]) == "cut"
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and name_of(node.left) == "cut"


RULES: dict[Callable[[ast.AST], bool], str] = {
    bound_by_hand: "checker/",
    starts_by_hand: "checker/search/",
    sum_by_hand: "checker/search/",
    choice_by_hand: "checker/search/",
    count_by_hand: "checker/search/",
    idle_by_hand: "checker/search/",
    pruning_by_hand: "checker/search/",
    lack_by_hand: "checker/search/",
    stage_by_hand: "checker/search/",
}
"""The shapes of rules, and where they must not be met."""


def by_hand(rule: Callable[[ast.AST], bool], text: str) -> Iterator[ast.AST]:
    """Where a text keeps a rule by hand."""
    return (node for node in ast.walk(ast.parse(text)) if rule(node))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rules_stand_once(rule: Callable[[ast.AST], bool]) -> None:
    """No module outside of the contract keeps a rule by hand."""
    found = [
        f"{room}:{node.lineno}: {ast.unparse(node)}"
        for room in rooms()
        if room.startswith(RULES[rule]) and not room.startswith(CONTRACT)
        for node in by_hand(rule, source(room))
        if isinstance(node, (ast.expr, ast.stmt))
    ]
    assert not found, lines(found)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (bound_by_hand, "cut = one.starts >= self.bound"),
        (bound_by_hand, "cut = starts[own] >= bound"),
        (bound_by_hand, "go = starts < program.options.max_actions"),
        (starts_by_hand, "if starts < known.starts: known.starts = starts"),
        (sum_by_hand, "starts += arrival.start"),
        (sum_by_hand, "crashes = int(part.crashes[at]) + arrival.order.crashes"),
        (sum_by_hand, "part.starts.take(origin) + (rule.kind is StepKind.START)"),
        (choice_by_hand, "(crashes, order, source) < (known.crashes, known.order, known.source)"),
        (choice_by_hand, "known.starts = min(known.starts, starts)"),
        (choice_by_hand, "np.minimum.reduceat(batch.starts.take(order), groups)"),
        (choice_by_hand, "rows[np.argmin(self.crashes[rows])]"),
        (choice_by_hand, "self.crashes.argsort()"),
        (choice_by_hand, "np.lexsort((low, high, crashes, levels))"),
        (count_by_hand, "level.cut += cut"),
        (count_by_hand, "level.frontier = len(self.waiting)"),
        (idle_by_hand, "level.aborted[rule.subject, result.span] += 1"),
        (idle_by_hand, "self.acted.add(rule.subject)"),
        (stage_by_hand, "level.fail(Witness(at, error=error, stage=STATE_STAGE))"),
        (pruning_by_hand, "pruned |= watch.prunes and self.task.prune"),
        (lack_by_hand, "graph.add_state(live, targets, quiet, node.cut or not node.expanded)"),
        (lack_by_hand, "cut[index] |= part.cut"),
    ],
)
def test_rules_by_hand_are_seen(rule: Callable[[ast.AST], bool], text: str) -> None:
    """The shapes are those that rules had."""
    assert any(by_hand(rule, text))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_contract_has_the_rules(rule: Callable[[ast.AST], bool]) -> None:
    """Each shape is met there, so that the test above would miss no rule for having another name."""
    assert any(any(by_hand(rule, source(room))) for room in rooms() if room.startswith(CONTRACT))


def test_the_map_names_every_rule() -> None:
    """The page on architecture lists the functions of the contract, each with its module, and no others."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = page[page.index("## The rules of the search") :].partition("\n## ")[0]
    listed: dict[str, set[str]] = {}
    for module, functions in re.findall(r"\| `(\w+)`: (.*) \|$", section, re.MULTILINE):
        listed.setdefault(module, set()).update(re.findall(r"`(\w+)`", functions))
    found = {room[len(CONTRACT) : -3]: rules_in(source(room)) for room in rooms() if room.startswith(CONTRACT)}
    assert listed == {module: functions for module, functions in found.items() if functions}


def rules_in(text: str) -> set[str]:
    """The functions of a module that others may call."""
    found = {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    return {name for name in found if not name.startswith("_")}
