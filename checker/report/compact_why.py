"""Why an assertion is false, in brief: the parts in which compared values differ, with instances by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from checker.core.trace import Change, Why
from checker.report.difference import differences
from checker.report.model_rows import source_row

_INSTANCE = re.compile(r"[^\W\d]\w*#\d+")
_NAME = re.compile(r"[^\W\d]\w*")
_EQUAL = re.compile(r"(.+?) == (.+)", re.DOTALL)
_OPERATOR = re.compile(r" (?:[=!<>]=|[<>]) ")
_LENGTH = re.compile(r"len\((.+ for .+)\)", re.DOTALL)
_TRUTHS = ("True", "False")


@dataclass(frozen=True, slots=True)
class BriefWhy:
    """`step`: the state after this step; `row`: the deciding line of the model; `facts`: what is so, as texts."""

    step: int
    file: str
    line: int
    row: str
    facts: tuple[str, ...]


def brief_why(why: Why, sources: Mapping[str, str]) -> BriefWhy:
    """The reason in brief."""
    values = dict(why.facts)
    # A name that stands for an instance is replaced by that, and need not be shown any more.
    instances = {name: value for name, value in why.facts if _NAME.fullmatch(name) and _INSTANCE.fullmatch(value)}
    shown: list[str] = []
    done: set[str] = set()
    for text, value in why.facts:
        if text in done or text in instances:
            continue
        parts = _unequal(text, value, values)
        if parts is not None:
            left, right, found = parts
            done |= {left, right}
            shown += [_named(fact, instances) for fact in found]
            continue
        if not (_is_compared(text, values) or _is_length(text, values)):
            shown.append(_named(f"{text} {'is' if value in _TRUTHS else '='} {value}", instances))
    left_over = [f"{name} = {value}" for name, value in instances.items() if not _used(name, why, sources)]
    return BriefWhy(why.step, why.file, why.line, source_row(sources, why.file, why.line), (*shown, *left_over))


def _is_compared(text: str, values: Mapping[str, str]) -> bool:
    """Whether it is a comparison of which the left side's value is shown."""
    return any(text[: operator.start()] in values for operator in _OPERATOR.finditer(text))


def _is_length(text: str, values: Mapping[str, str]) -> bool:
    """Whether it is the length of a comprehension whose elements are shown."""
    found = _LENGTH.fullmatch(text)
    return found is not None and found[1] in values


def _used(name: str, why: Why, sources: Mapping[str, str]) -> bool:
    """Whether another fact speaks of this name, so that the instance is shown there."""
    return any(re.search(rf"\b{re.escape(name)}\b", text) for text, _ in why.facts if text != name)


def _unequal(text: str, value: str, values: Mapping[str, str]) -> tuple[str, str, list[str]] | None:
    """For `a == b` that is false, with the values of both: the sides, and the parts that differ as texts."""
    sides = _EQUAL.fullmatch(text)
    if sides is None or value != "False" or sides[1] not in values or sides[2] not in values:
        return None
    parts = differences(Change(sides[1], values[sides[1]], values[sides[2]]))
    facts = []
    for part in parts:
        there = sides[2] + part.place.removeprefix(sides[1])
        facts.append(f"{part.place} {_being(part.old)}, {there} {_being(part.new)}")
    return sides[1], sides[2], facts


def _being(value: str | None) -> str:
    return "is missing" if value is None else f"is {value}"


def _named(text: str, instances: Mapping[str, str]) -> str:
    """The text with the instances in place of the names that stand for them, outside of strings."""
    if not instances:
        return text
    names = "|".join(map(re.escape, instances))
    pattern = re.compile(rf'"(?:[^"\\]|\\.?)*+"?|(?<![\w.])(?:{names})(?=\.)', re.DOTALL)
    return pattern.sub(lambda found: instances.get(found[0], found[0]), text)
