"""The methods of strings (language page, 5.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interpreter.library.arguments import boolean, integer, iterable, method_table, string
from interpreter.values import Builtin
from interpreter.values.access import shown
from interpreter.values.basis import type_name
from interpreter.values.budget import METER, check_size, search
from interpreter.values.containers import ListValue
from interpreter.values.formats import format_fields
from interpreter.values.problem import ModelMistake


def _plain(name: str) -> Callable[[str], object]:
    """Python's method of this name, which takes no arguments."""
    function: Callable[[str], object] = getattr(str, name)

    def method(text: str) -> object:
        METER.charge(len(text) >> 4)
        return function(text)

    return method


def _cased(name: str) -> Callable[[str], str]:
    """A method without arguments whose result may be a longer string."""
    function: Callable[[str], str] = getattr(str, name)

    def method(text: str) -> str:
        METER.make(len(text) >> 3)
        changed = function(text)
        check_size(len(changed), "the string")
        return changed

    return method


def _bounds(start: object, end: object) -> tuple[int | None, int | None]:
    return (
        None if start is None else integer(start, "the start"),
        None if end is None else integer(end, "the end"),
    )


def _sought(name: str) -> Callable[..., int]:
    """`count`, `find`, `rfind`: a string within bounds."""
    function: Callable[..., int] = getattr(str, name)

    def method(text: str, part: object, start: object = None, end: object = None) -> int:
        wanted = string(part, f"{name}()")
        METER.charge(search(len(text), len(wanted)))
        return function(text, wanted, *_bounds(start, end))

    return method


def _indexed(name: str, find: Callable[..., int]) -> Callable[..., int]:
    """`index`, `rindex`: as `find`, but R2 if it is not there."""

    def method(text: str, part: object, start: object = None, end: object = None) -> int:
        wanted = string(part, f"{name}()")
        METER.charge(search(len(text), len(wanted)))
        position = find(text, wanted, *_bounds(start, end))
        if position < 0:
            raise ModelMistake("R2", f"{shown(part)} not found in {shown(text)}")
        return position

    return method


def _edge(name: str) -> Callable[..., bool]:
    """`startswith`, `endswith`: a string or a tuple of strings."""
    function: Callable[..., bool] = getattr(str, name)

    def method(text: str, part: object, start: object = None, end: object = None) -> bool:
        wanted = part if isinstance(part, tuple) else (part,)
        METER.charge(len(wanted))
        parts = tuple([string(one, f"{name}()") for one in wanted])
        METER.charge(sum(map(len, parts)) >> 4)
        return function(text, parts, *_bounds(start, end))

    return method


def _stripped(name: str) -> Callable[..., str]:
    function: Callable[..., str] = getattr(str, name)

    def method(text: str, characters: object = None) -> str:
        wanted = None if characters is None else string(characters, f"{name}()")
        METER.charge(search(len(text), 0 if wanted is None else len(wanted)))
        return function(text, wanted)

    return method


def _split(name: str) -> Builtin:
    function: Callable[..., list[object]] = getattr(str, name)

    def method(text: str, sep: object = None, maxsplit: object = -1) -> ListValue:
        wanted = None if sep is None else _separator(sep, name)
        METER.charge(search(len(text), 0 if wanted is None else len(wanted)))
        parts = function(text, wanted, _word(integer(maxsplit, f"{name}()")))
        check_size(len(parts), "the list")
        METER.make(len(parts) + (len(text) >> 4))
        return ListValue(parts)

    return Builtin(name, method, 0, 2, positions={"sep": 0, "maxsplit": 1})


def _partitioned(name: str) -> Callable[..., tuple[object, ...]]:
    function: Callable[..., tuple[object, ...]] = getattr(str, name)

    def method(text: str, separator: object) -> tuple[object, ...]:
        wanted = _separator(separator, name)
        METER.make(search(len(text), len(wanted)))
        return function(text, wanted)

    return method


def _separator(value: object, name: str) -> str:
    separator = string(value, f"{name}()")
    if not separator:
        raise ModelMistake("R4", f"{name}() needs a separator that is not empty")
    return separator


def _word(count: int) -> int:
    # Python counts in a machine word; no string has that many parts.
    return max(-1, min(count, 1 << 31))


def _elems(text: str) -> ListValue:
    METER.make(len(text))
    return ListValue(list(text))


def _format(text: str, /, *args: object, **kwargs: object) -> str:
    return format_fields(text, args, kwargs)


def _join(text: str, items: object) -> str:
    parts: list[str] = []
    for item in iterable(items, "join()"):
        if not isinstance(item, str):
            raise ModelMistake(
                "R4", f"join() needs strings, got a {type_name(item)}", "map them: [str(x) for x in ...]"
            )
        parts.append(item)
    size = sum(map(len, parts)) + len(text) * max(len(parts) - 1, 0)
    check_size(size, "the string")
    METER.make(size >> 4)
    return text.join(parts)


def _replace(text: str, old: object, new: object, most: object = -1) -> str:
    before, after = string(old, "replace()"), string(new, "replace()")
    limit = integer(most, "replace()")
    METER.charge(2 * search(len(text), len(before)))
    count = text.count(before)
    if limit >= 0:
        count = min(count, limit)
    size = len(text) + count * (len(after) - len(before))
    check_size(size, "the string")
    METER.make(count + (size >> 4))
    return text.replace(before, after, count)


def _removed(name: str) -> Callable[..., str]:
    function: Callable[..., str] = getattr(str, name)

    def method(text: str, part: object) -> str:
        METER.make(len(text) >> 4)
        return function(text, string(part, f"{name}()"))

    return method


def _splitlines(text: str, keepends: object = False) -> ListValue:
    METER.charge(len(text) >> 4)
    lines = text.splitlines(boolean(keepends, "keepends"))
    METER.make(len(lines) + (len(text) >> 4))
    return ListValue(list[Any](lines))


STRING = {
    **method_table(
        {name: (_plain(name), 0, 0) for name in ("isalnum", "isalpha", "isdigit", "islower", "isspace", "istitle")}
        | {"isupper": (_plain("isupper"), 0, 0), "elems": (_elems, 0, 0)}
        | {name: (_cased(name), 0, 0) for name in ("capitalize", "lower", "title", "upper")}
        | {name: (_sought(name), 1, 3) for name in ("count", "find", "rfind")}
        | {"index": (_indexed("index", str.find), 1, 3), "rindex": (_indexed("rindex", str.rfind), 1, 3)}
        | {name: (_edge(name), 1, 3) for name in ("endswith", "startswith")}
        | {name: (_stripped(name), 0, 1) for name in ("lstrip", "rstrip", "strip")}
        | {name: (_partitioned(name), 1, 1) for name in ("partition", "rpartition")}
        | {name: (_removed(name), 1, 1) for name in ("removeprefix", "removesuffix")}
        | {"join": (_join, 1, 1), "replace": (_replace, 2, 3)}
    ),
    "rsplit": _split("rsplit"),
    "split": _split("split"),
    "splitlines": Builtin("splitlines", _splitlines, 0, 1, positions={"keepends": 0}),
    # A format may use any name, so any named argument is taken.
    "format": Builtin("format", _format, 0, None, None),
}
