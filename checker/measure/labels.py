"""The labels that a model has, to tell the one that names nothing."""

from __future__ import annotations

from collections.abc import Iterator

from checker.measure.measure_file import MeasureFile
from fizz import Module
from fizz.base.near_names import near_hint
from fizz.syntax import ast
from fizz.syntax.print_expressions import print_expression
from fizz.syntax.tree_walk import all_statements


def refuse_unknown(file: MeasureFile, module: Module) -> None:
    """Raise `MeasureProblem` for a label of a file that names nothing in the model."""
    known = set(_labels_of(module))
    roles = {role.name for role in module.roles()}
    for label in file.weights:
        word, blank, rest = label.partition(" ")
        asked = rest if blank and word == "crash" else label
        plain = _without_numbers(asked, roles)
        if _beginning(asked) in known or plain in known:
            if label != asked and not _may_crash(plain, module):
                raise file.wrong(
                    label,
                    f"nothing that is called '{asked}' can crash",
                    "a role with @state crashes, and an action that yields",
                )
            continue
        names = sorted(known | {f"crash {role}" for role in roles})
        raise file.wrong(
            label,
            f"the label '{label}' names nothing in {module.path}",
            near_hint(label, names) or f"there are {', '.join(names[:12])}{', …' if len(names) > 12 else ''}",
        )


def _beginning(label: str) -> str:
    """The part of a label before the value that is chosen."""
    for joint in (".For:", "="):
        before, found, _ = label.partition(joint)
        if found:
            return before + joint
    return label


def _may_crash(name: str, module: Module) -> bool:
    """Whether it is a role that crashes, or an action."""
    role = next((role for role in module.roles() if role.name == name), None)
    return role is None or bool(role.crash_fields and role.crash_fields[1])


def _without_numbers(label: str, roles: set[str]) -> str:
    """`Node#0.Act` as `Node.Act`."""
    instance, dot, rest = label.partition(".")
    role, mark, number = instance.partition("#")
    return f"{role}{dot}{rest}" if mark and number.isdecimal() and role in roles else label


def _labels_of(module: Module) -> Iterator[str]:
    """The names of actions and roles, the labels of statements and calls; of a choice its beginning, as `Act.x=`."""
    for action in module.actions():
        yield action.name
        yield from _in_body(action.name, action.body)
    for function in module.functions():
        yield f"{function.name}.call"
        yield from _in_body(function.name, function.body)
    for role in module.roles():
        yield role.name
        for own in role.actions:
            yield f"{role.name}.{own.name}"
            yield from _in_body(f"{role.name}.{own.name}", own.body)
        for method in role.functions:
            yield f"{role.name}.{method.name}.call"
            yield from _in_body(f"{role.name}.{method.name}", method.body)


def _in_body(name: str, body: ast.Block) -> Iterator[str]:
    for statement in all_statements(body):
        label = getattr(statement, "label", None)
        if label is not None:
            yield f"{name}.{label}"
        if isinstance(statement, ast.Choose):
            yield f"{name}.{print_expression(statement.target)}="
        elif isinstance(statement, ast.ChooseBlock):
            yield f"{name}.{', '.join(statement.variables.names)}="
        elif isinstance(statement, ast.For) and statement.flow == "parallel":
            yield f"{name}.For:"
        elif isinstance(statement, ast.FlowBlock) and statement.flow in ("oneof", "parallel"):
            yield from (f"{name}.Stmt:{i}" for i in range(len(statement.body.statements)))
    # The whole body may be one block of choices.
    yield from (f"{name}.Stmt:{i}" for i in range(len(body.statements)))
