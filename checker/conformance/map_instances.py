"""Role instances that no state can have are refused: else no event that is about them would ever fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from checker.conformance.event_map import EventMap
from fizz.base.near_names import near_hint
from interpreter import Program, State

_INSTANCE: Final = re.compile(r"\b([A-Za-z_]\w*)#(\d+)")
_CHANNEL: Final = "Channel"
"""Channels are named as instances are, and are none."""


def with_instances(event_map: EventMap, program: Program, beginnings: Sequence[State]) -> EventMap:
    """The map, which knows the instances of each role that are all there can be, as nothing but Init makes them.

    `beginnings`: the initial states. Raises `UsageProblem` with the line for an instance of no role, and for a rule
    about one that no state can have. A map may give names to more instances than the constants of the model make:
    that one of these is no instance is said of an event that is about it.
    """
    roles = {role.name: role for role in program.roles}
    for name, instance in event_map.instances.items():
        role = _INSTANCE.match(instance or "")
        if role and role[1] not in {*roles, _CHANNEL}:
            hint = near_hint(role[1], roles) or f"its roles are {', '.join(roles) or 'none'}"
            event_map.place_of(name, "instances").refuse(f"the model has no role '{role[1]}' (instances)", hint)
    all_made = {name: frozenset(_made(name, beginnings)) for name, role in roles.items() if not role.born_later}
    known = replace(event_map, made=all_made)
    for key, where, text in _named(event_map):
        for name, number in _INSTANCE.findall(text):
            known.refuse_absent(f"{name}#{number}", known.place_of(key), where)
    return known


def _made(role: str, beginnings: Sequence[State]) -> Iterator[int]:
    """The numbers of the instances of a role in initial states."""
    for state in beginnings:
        yield from state.layout.live.get(role, ())


def _named(event_map: EventMap) -> Iterator[tuple[str, str, str]]:
    """The texts in rules of a map that may name instances: the key that they are at, what that is, and the text."""
    for kind, rules in event_map.rules.items():
        for text in (text for rule in rules for text in _of_rule(rule)):
            yield kind, f"event '{kind}'", text
    for step in sorted(event_map.silent.steps):
        yield "silent", "silent", step


def _of_rule(rule: Mapping[str, Any]) -> Iterator[str]:
    yield str(rule.get("action", rule.get("crash", rule.get("observe"))))
    for key in ("before", "after"):
        yield from map(str, rule.get(key) or ())
