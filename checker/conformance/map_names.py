"""Names in a map that the model does not have are refused: else no event that they are about would ever fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from checker.conformance.event_map import EventMap
from checker.conformance.log_files import Place
from checker.conformance.observed_choices import split_choice
from checker.conformance.read_only import choice_names, instructions
from checker.conformance.step_fit import key_of
from fizz.base.near_names import near_hint
from fizz.syntax import ast
from interpreter import Program
from interpreter.direct.rule_text import targets_of


class _Known(NamedTuple):
    """The names that a model has. `values`: of state variables, fields and params; None: they may have any name.

    `labels` are those of statements, each alone and behind its action or func, as `commit` and `Node.Vote.commit`.
    """

    actions: Sequence[str]
    functions: Sequence[str]
    roles: Sequence[str]
    labels: Sequence[str]
    choices: Sequence[str]
    values: Sequence[str] | None

    def refuse(self, place: Place, where: str, rule: Mapping[str, Any]) -> None:
        """Refuse a rule that names what the model does not have; it is at a place, or said `where` it is from."""
        _refuse_subject(place, where, rule, self)
        for what, names, near in _mentioned(rule, self):
            for name in names:
                title = str(name) if near is self.labels else split_choice(str(name))[1]
                if title not in near:
                    hint = near_hint(title, near) or f"there are {', '.join(near) or 'none'}"
                    place.refuse(f"{what} '{title}' ({where})", hint)


def with_names(event_map: EventMap, program: Program, actions: Sequence[str]) -> EventMap:
    """A map that refuses rules which are made for single events too, if they name what the model does not have.

    Raises `UsageProblem`, with the line and near names, for those that it has.
    """
    known = _known(program, actions)
    for kind, rule in [(kind, rule) for kind, rules in event_map.rules.items() for rule in rules]:
        known.refuse(event_map.place_of(kind), f"event '{kind}'", rule)
    for name in sorted(event_map.silent.steps - {"continue", "deliver", "crash", *actions, *known.functions}):
        if "#" not in name:
            hint = near_hint(name, actions) or "an action, or continue, deliver, crash"
            event_map.place_of("silent").refuse(f"no silent step '{name}'", hint)
    return replace(event_map, refuse_names=known.refuse)


def _refuse_subject(place: Place, where: str, rule: Mapping[str, Any], known: _Known) -> None:
    """Refuse a rule about an action or a role that the model does not have."""
    named = str(rule.get("action", rule.get("crash", rule.get("observe"))))
    if "action" in rule:
        if key_of(named) not in {*known.actions, *known.functions}:
            hint = near_hint(named, known.actions) or f"its actions are {', '.join(known.actions)}"
            place.refuse(f"the model has no action '{named}' ({where})", hint)
    elif named and named.partition("#")[0] not in known.roles:
        hint = near_hint(named, known.roles) or f"its roles are {', '.join(known.roles) or 'none'}"
        place.refuse(f"the model has no role '{named}' ({where})", hint)


def _mentioned(rule: Mapping[str, Any], known: _Known) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
    """What a rule mentions: what is said of names that there are not, the names, and those that there are."""
    if rule.get("label"):
        yield "the model has no label", (rule["label"],), known.labels
    yield "no action of the model chooses", tuple(rule.get("choices") or ()), known.choices
    if known.values is not None:
        yield (
            "the model has no field or state variable",
            (*(rule.get("before") or ()), *(rule.get("after") or ())),
            known.values,
        )


def _known(program: Program, actions: Sequence[str]) -> _Known:
    found = [one for routine in program.routines for one in instructions(routine)]
    values = {*program.state_variables}
    values |= {one.name for each in found for one in targets_of(each) if isinstance(one, ast.Attribute)}
    values |= {name for role in program.roles for name in role.params or ()}
    return _Known(
        actions,
        [f"{role.name}.{name}" for role in program.roles for name in role.functions],
        [role.name for role in program.roles],
        sorted(_labels(program)),
        choice_names(program),
        None if any(role.params is None for role in program.roles) else sorted(values),
    )


def _labels(program: Program) -> set[str]:
    named = {(routine.name, one.label) for routine in program.routines for one in instructions(routine) if one.label}
    return {label for _, label in named} | {f"{name}.{label}" for name, label in named}
