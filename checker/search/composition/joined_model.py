"""A model that composes others, as a model of its own: its steps are looked up among the joined steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from checker.search.composition.explored_component import ExploredComponent
from checker.search.composition.joined_states import MOST_STEPS, JoinedStates, TooManySteps
from checker.search.refinement.equal_values import EqualValues
from fizz import Diagnostic, FizzError, Module, Options, Span
from fizz.load import with_items
from fizz.model_files import parse_file
from fizz.syntax import ast

_SOURCE: Final = "--joined"
"""The source of what is added to the model; it is no file."""
_TEXT: Final = """\
JOINED_FIRST = range({first})
JOINED_STATES = None
JOINED_STEPS = None
JOINED_ALIKE = None

action Init:
    joined = oneof JOINED_FIRST
    {names} = JOINED_STATES[joined]

atomic action Joined:
    step = oneof JOINED_STEPS[joined]
    joined = JOINED_STEPS[joined][step]
    {names} = JOINED_STATES[joined]
"""


def joined_model(module: Module) -> Module:
    """The model whose states are the joined states of the models that `module` composes."""
    values = EqualValues()
    components = [ExploredComponent(one, values) for one in module.components]
    try:
        joined = JoinedStates(components)
    except TooManySteps:
        text, hint = f"more than {MOST_STEPS:,} joined steps", "compare more in the views, or make the models smaller"
        raise FizzError((Diagnostic("L40", text, module.components[0].span, hint),), module.sources) from None
    if not joined.states:
        text, hint = "no initial states of the models have equal views", "the views must agree on how the models begin"
        raise FizzError((Diagnostic("L40", text, module.components[0].span, hint),), module.sources)
    text = _TEXT.format(first=joined.initial, names=", ".join(one.name for one in components))
    added, alike = _items(text, components, joined)
    kept = (_exempting(item, alike) for item in module.items if not isinstance(item, ast.Entries))
    whole = replace(
        module,
        components=(),
        bounded=any(one.bounded for one in components),
        sources={**module.sources, _SOURCE: text},
        options=_options(module.options, len(joined.states)),
    )
    return with_items(whole, (*added, *kept))


def _options(options: Options, states: int) -> Options:
    """The bounds, faults and ends of runs are those of the models that are joined; what is left is safety."""
    alone = replace(options, max_actions=states + 1, crash_on_yield=False, action_options={})
    return replace(alone, deadlock_detection=False, liveness="off")


def _items(text: str, components: list[ExploredComponent], joined: JoinedStates) -> tuple[tuple[ast.Item, ...], bool]:
    """The constants and actions, and whether some steps change nothing that is seen, or are crashes."""
    span = Span(_SOURCE, 1, 1, 1, 2)
    values = [[one.value(number, span) for number in range(len(one.states))] for one in components]
    seen = [_classes(of) for of in values]
    skipped = [
        (source, target)
        for source, steps in enumerate(joined.steps)
        for target in dict.fromkeys(steps.values())
        if (source, target) in joined.crashes
        or all(of[a] == of[b] for of, a, b in zip(seen, joined.states[source], joined.states[target], strict=True))
    ]

    def number(value: int) -> ast.Expression:
        return ast.Literal(span, value)

    rows = tuple(
        ast.TupleExpression(span, tuple(of[one] for of, one in zip(values, state, strict=True)))
        for state in joined.states
    )
    steps = tuple(
        ast.DictExpression(span, tuple((ast.Literal(span, name), number(target)) for name, target in found.items()))
        for found in joined.steps
    )
    pairs = tuple((ast.TupleExpression(span, (number(a), number(b))), number(1)) for a, b in skipped)
    tables: dict[str, ast.Expression] = {
        "JOINED_STATES": ast.ListExpression(span, rows),
        "JOINED_STEPS": ast.ListExpression(span, steps),
        "JOINED_ALIKE": ast.DictExpression(span, pairs),
    }
    parsed = parse_file(_SOURCE, text)
    return tuple(_with_table(item, tables) for item in parsed.items), bool(skipped)


def _classes(values: list[ast.Expression]) -> list[int]:
    """Equal numbers for equal expressions."""
    numbers: dict[ast.Expression, int] = {}
    return [numbers.setdefault(value, len(numbers)) for value in values]


def _with_table(item: ast.Item, tables: Mapping[str, ast.Expression]) -> ast.Item:
    if isinstance(item, ast.ConstantStatement) and isinstance(item.statement, ast.Assign):
        target = item.statement.targets[0]
        if isinstance(target, ast.Name) and target.id in tables:
            return replace(item, statement=replace(item.statement, value=tables[target.id]))
    return item


def _exempting(item: ast.Item, alike: bool) -> ast.Item:
    """A transition assertion that passes steps that change nothing but positions of threads, and crashes (10.3)."""
    if not alike or not isinstance(item, ast.Assertion) or item.kind != "transition":
        return item
    before, after = item.parameters or ("before", "after")
    text = f"def skip():\n    if ({before}.joined, {after}.joined) in JOINED_ALIKE:\n        return True\n"
    [parsed] = parse_file(_SOURCE, text).items
    assert isinstance(parsed, ast.TopHelper)
    statements = (*parsed.helper.body.statements, *item.body.statements)
    return replace(item, body=replace(item.body, statements=statements))
