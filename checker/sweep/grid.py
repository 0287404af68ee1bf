"""Grids: several values for some constants and options of a model, and a point for each combination."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from checker.core.given import literal, option_text
from checker.core.problems import UsageProblem
from checker.storage.user_paths import read_user_file
from fizz.base.yaml_text import YamlError, compose, plain

MOST_POINTS: Final = 10_000
_MOST_BYTES: Final = 256 * 1024
_RANGE: Final = re.compile(r"(-?\d{1,99})\.\.(-?\d{1,99})(?:\.\.(\d{1,99}))?")
_OPENING: Final = {"(": ")", "[": "]", "{": "}"}
_FEWER: Final = "give fewer values, or run it in parts"


@dataclass(frozen=True, slots=True)
class Axis:
    """The values of one constant, or of one `option`, as texts."""

    name: str
    texts: tuple[str, ...]
    option: bool = False

    def rank(self, text: str) -> int:
        """The place of a value: by size if all are whole numbers, else as they were given."""
        numbers = [whole(one) for one in self.texts]
        if None in numbers:
            return self.texts.index(text)
        return sorted(number for number in numbers if number is not None).index(int(text))


@dataclass(frozen=True, slots=True)
class Point:
    """One combination: a value for each axis, in their order."""

    axes: tuple[Axis, ...]
    texts: tuple[str, ...]

    @property
    def named(self) -> tuple[tuple[str, str], ...]:
        """Names and values."""
        return tuple((axis.name, text) for axis, text in zip(self.axes, self.texts, strict=True))

    @property
    def constants(self) -> dict[str, str]:
        return {axis.name: text for axis, text in zip(self.axes, self.texts, strict=True) if not axis.option}

    @property
    def options(self) -> dict[str, str]:
        return {axis.name: text for axis, text in zip(self.axes, self.texts, strict=True) if axis.option}

    @property
    def title(self) -> str:
        """`N=2 CRASHES=0`: what differs between the points of the grid; all values if it has one point alone."""
        differing = [f"{axis.name}={text}" for axis, text in zip(self.axes, self.texts, strict=True) if axis.texts[1:]]
        return " ".join(differing or [f"{name}={text}" for name, text in self.named]) or "the model as it is"

    @property
    def size(self) -> tuple[int, tuple[int, ...]]:
        """By this points are in order, the smallest first: the sum of the ranks of its values, then the ranks."""
        ranks = tuple(axis.rank(text) for axis, text in zip(self.axes, self.texts, strict=True))
        return sum(ranks), ranks


def whole(text: str) -> int | None:
    """The whole number that a text is, if it is one."""
    return int(text) if re.fullmatch(r"-?\d{1,18}", text) else None


def points_of(axes: Sequence[Axis]) -> list[Point]:
    """All points of a grid, the smallest first. Raises `UsageProblem` if there are too many, or an axis comes twice."""
    names = [axis.name for axis in axes]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageProblem(f"'{twice}' is given twice", "give all its values at once: --set N=2..4,8")
    count = 1
    for axis in axes:
        count *= len(axis.texts)
        if count > MOST_POINTS:
            raise UsageProblem(f"the grid has more than {MOST_POINTS:,} points", _FEWER)
    made = [Point(tuple(axes), texts) for texts in itertools.product(*(axis.texts for axis in axes))]
    return sorted(made, key=lambda point: point.size)


def axis_of(name: str, text: str, option: bool = False) -> Axis:
    """The axis of `2..5`, `0,1` or `"a", "b"`. Commas in brackets and quotes separate nothing."""
    parts = [part.strip() for part in _split(text)]
    if not all(parts):
        lacks = "lacks a value beside a comma" if any(parts) else "has no value"
        raise UsageProblem(f"'{name}={text}' {lacks}", 'as --set N=2..5 or --set MODE=\'"a","b"\'')
    texts = [value for part in parts for value in _values(name, part)]
    return Axis(name, tuple(dict.fromkeys(texts)), option)


def _values(name: str, part: str) -> Iterable[str]:
    """The values of a range, or the one that it is."""
    found = _RANGE.fullmatch(part)
    if found is None:
        if ".." in part and not set("\"'") & set(part):
            raise UsageProblem(f"{name}: the range {part} has ends that are no whole numbers", "as 2..5, or 10..50..10")
        return [part]
    first, last, step = int(found[1]), int(found[2]), int(found[3] or 1)
    if step == 0 or last < first:
        raise UsageProblem(f"{name}: the range {part} is empty", "as 2..5, or 10..50..10 for each tenth number")
    if (last - first) // step >= MOST_POINTS:
        raise UsageProblem(f"{name}: the range {part} has more than {MOST_POINTS:,} values", _FEWER)
    return map(str, range(first, last + 1, step))


def _split(text: str) -> Iterator[str]:
    """The parts between commas that stand in no brackets and no quotes."""
    open_brackets: list[str] = []
    quote, begin, skip = "", 0, False
    for index, character in enumerate(text):
        if skip:
            skip = False
        elif quote:
            skip = character == "\\"
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in _OPENING:
            open_brackets.append(_OPENING[character])
        elif open_brackets and character == open_brackets[-1]:
            open_brackets.pop()
        elif character == "," and not open_brackets:
            yield text[begin:index]
            begin = index + 1
    yield text[begin:]


def axes_of_values(values: Mapping[str, object], option: bool = False) -> list[Axis]:
    """The axes of values of Python: a list, tuple or range has a value for each member, anything else is one value."""
    return [
        _axis_of_members(name, _members(value), option_text if option else literal, option)
        for name, value in values.items()
    ]


def _members(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple | range) else [value]


def _axis_of_members(name: str, members: Sequence[object], spelled: Callable[[object], str], option: bool) -> Axis:
    if not members:
        raise UsageProblem(f"'{name}' has no value", "give a list of values")
    if len(members) > MOST_POINTS:
        raise UsageProblem(f"'{name}' has more than {MOST_POINTS:,} values", _FEWER)
    return Axis(name, tuple(dict.fromkeys(map(spelled, members))), option)


def _axis_in_file(name: str, value: object, option: bool = False) -> Axis:
    """A text is read as on the command line; in a list it is one expression."""
    if isinstance(value, str):
        return axis_of(name, value, option)
    spelled = option_text if option else literal
    return _axis_of_members(name, _members(value), lambda one: one if isinstance(one, str) else spelled(one), option)


def axes_in_file(path: str) -> list[Axis]:
    """The axes of a YAML file: a mapping of names to values, with `options:` for those of the front matter.

    Raises `UsageProblem` for an error in it.
    """
    text = read_user_file(path, "a grid in YAML", _MOST_BYTES)
    try:
        node = compose(text, _MOST_BYTES)
        document = None if node is None else plain(node)
    except YamlError as error:
        raise UsageProblem(f"{path}:{error.line + 1}: this is not valid YAML: {error.text}") from None
    if not isinstance(document, dict) or not document:
        raise UsageProblem(f"{path}: it must map names of constants to their values", "as `N: 2..5`, `CRASHES: [0, 1]`")
    options = document.pop("options", None) or {}
    if not isinstance(options, dict):
        raise UsageProblem(f"{path}: 'options' must map names of options to their values", "as `max_actions: [5, 10]`")
    try:
        return [
            *(_axis_in_file(str(name), value) for name, value in document.items()),
            *(_axis_in_file(str(name), value, option=True) for name, value in options.items()),
        ]
    except UsageProblem as problem:
        raise UsageProblem(f"{path}: {problem.text}", problem.hint) from None
