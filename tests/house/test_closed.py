"""Matches over syntax, instructions and enumerations are closed: what one forgets fails mypy, not a user."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import fizz.syntax.ast
from checker.core import demand
from interpreter.compile import program
from interpreter.execute.expressions import _COMPILERS

ROOT = Path(__file__).parents[2]
UNIONS = {
    "fizz": (fizz.syntax.ast.Expression, fizz.syntax.ast.Statement, fizz.syntax.ast.Item, fizz.syntax.ast.Target),
    "interpreter": (program.Instruction, program.Scope),
    "checker": (demand.Demand,),
}
ENUMS = {"Aim", "ExitCode", "Looks", "Phase", "ReachGoal", "StepKind", "StopReason", "Strength"}
OPEN = {
    "checker/report/terminal_report.py": 1,  # codes of runs that have no report
    "checker/search/memo/list_places.py": 2,  # lists that are written as such
    "fizz/checks/bodies.py": 3,
    "fizz/checks/declarations.py": 1,
    "fizz/syntax/matcher.py": 1,  # another Sequence: that of the grammar
    "fizz/checks/symmetry_advice.py": 7,
    "fizz/symbols/indexing.py": 1,  # expressions without names of their own
    "interpreter/compile/compiler.py": 1,
    "interpreter/compile/dict_items.py": 8,  # what is no such comprehension stays as it is written
    "interpreter/compile/independent_turns.py": 1,
    "interpreter/compile/passed_on.py": 3,  # any other mention may give a container a second name
    "interpreter/execute/evaluated_parts.py": 1,
    "interpreter/explain/reasons.py": 1,
    "interpreter/execute/expressions.py": 1,
    "interpreter/direct/defs.py": 3,  # what is not done directly is left to the interpreter, here and in the next ones
    "interpreter/direct/plain_statements.py": 1,
    "interpreter/direct/rule_bodies.py": 2,
    "interpreter/direct/rule_text.py": 4,
    "interpreter/direct/name_lookup.py": 1,
    "interpreter/direct/containers_written.py": 3,
    "interpreter/direct/one_by_one.py": 1,
    "interpreter/direct/paths_written.py": 1,  # other expressions are no paths
    "interpreter/direct/second_names.py": 1,  # other instructions bind no second name
    "interpreter/direct/taken_inside.py": 1,
    "interpreter/direct/any_order.py": 1,  # other statements may depend on the order
    "interpreter/compile/loop_writes.py": 1,  # other statements write nothing that is known
}
"""How many matches of a file ask for some nodes and treat all others alike, whatever these are."""

CLOSED = {member.__name__ for unions in UNIONS.values() for union in unions for member in get_args(union)}


def matches() -> Iterator[tuple[str, ast.Match]]:
    """Every `match` of the product over classes of the closed unions, with its place."""
    for package in ("fizz", "interpreter", "checker"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Match) and any(map(_is_closed, node.cases)):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", node


def _is_closed(case: ast.match_case) -> bool:
    pattern = case.pattern
    options = pattern.patterns if isinstance(pattern, ast.MatchOr) else [pattern]
    options = [option.pattern if isinstance(option, ast.MatchAs) and option.pattern else option for option in options]
    named = [option.cls for option in options if isinstance(option, ast.MatchClass)]
    values = [option.value for option in options if isinstance(option, ast.MatchValue)]
    if any(isinstance(value, ast.Attribute) and getattr(value.value, "id", "") in ENUMS for value in values):
        return True
    return any((name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")) in CLOSED for name in named)


def test_matches_are_closed() -> None:
    """The last case of each is `case _: assert_never(...)`, but for those that ask for some nodes alone."""
    found: Counter[str] = Counter()
    for place, match in matches():
        last = match.cases[-1]
        named_all = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None
        if not (named_all and "assert_never(" in ast.unparse(last.body[-1])):
            found[place.partition(":")[0]] += 1
    assert dict(found) == OPEN


def test_demands_are_told_apart_by_matches() -> None:
    """What asks with `isinstance` for one demand would ignore a new one."""
    demands = {member.__name__ for member in get_args(demand.Demand)}
    for path in sorted((ROOT / "checker").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
                asked = {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)}
                assert not asked & demands, f"{path.relative_to(ROOT)}:{node.lineno}"


def test_tables_are_closed() -> None:
    """Every kind of expression has a compiler."""
    assert _COMPILERS.keys() == set(get_args(fizz.syntax.ast.Expression))


def test_unions_have_all_members() -> None:
    """Every class of a node or instruction that others derive from is in its union."""
    for module, bases in (
        (fizz.syntax.ast, ("_Expression", "_Statement", "_Item")),
        (program, ("_Instruction", "_Scope")),
    ):
        for name in bases:
            below = {one.__name__ for one in vars(module).values() if isinstance(one, type) and one.__name__ != name}
            below = {one for one in below if issubclass(getattr(module, one), getattr(module, name))}
            assert below == {member.__name__ for member in get_args(getattr(module, name.removeprefix("_")))}
