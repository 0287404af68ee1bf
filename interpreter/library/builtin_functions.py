"""Functions of one value and of collections that are always in scope (language page, 5.2)."""

from __future__ import annotations

from typing import Any, NoReturn

from interpreter.library.arguments import boolean, callback, integer, iterable, number, string
from interpreter.library.attributes import attribute_names, get_attribute
from interpreter.values import Builtin, comparison
from interpreter.values.access import length, shown
from interpreter.values.basis import truth, type_name
from interpreter.values.budget import METER, check_int
from interpreter.values.containers import ListValue
from interpreter.values.formats import to_display, to_text
from interpreter.values.problem import MAX_PARTS, ModelMistake, too_many_parts


def _abs(value: object) -> object:
    return abs(number(value, "abs()"))


def _all(items: object) -> bool:
    return all(truth(item) for item in iterable(items, "all()"))


def _any(items: object) -> bool:
    return any(truth(item) for item in iterable(items, "any()"))


def _chr(value: object) -> str:
    code = integer(value, "chr()")
    if not 0 <= code < 0x110000 or 0xD800 <= code < 0xE000:
        raise ModelMistake("R4", f"chr({shown(code)}): not the number of a character")
    return chr(code)


def _ord(value: object) -> int:
    if isinstance(value, str | bytes) and len(value) == 1:
        return ord(value)
    raise ModelMistake("R4", f"ord() needs a string of one character, not {shown(value)}")


def _dir(value: object) -> ListValue:
    names = attribute_names(value)
    METER.make(len(names))
    return ListValue(list(names))


def _getattr(value: object, name: object, *default: object) -> object:
    try:
        return get_attribute(value, string(name, "the name"))
    except ModelMistake as problem:
        if default and problem.code == "R3":
            return default[0]
        raise


def _hasattr(value: object, name: object) -> bool:
    missing = object()
    return _getattr(value, name, missing) is not missing


def _hash(value: object) -> int:
    """32-bit FNV-1a of the UTF-8 bytes."""
    result = 0x811C9DC5
    data = string(value, "hash()").encode(errors="surrogatepass")
    METER.charge(len(data))
    for byte in data:
        result = (result ^ byte) * 0x01000193 & 0xFFFF_FFFF
    return result


def _len(value: object) -> int:
    return length(value)


def _extreme(name: str, sign: int) -> Builtin:
    """`min` (sign -1) and `max` (sign 1); of equal ones the first."""

    def choose(*args: object, key: object = None, **options: object) -> object:
        items = iterable(args[0], f"{name}()") if len(args) == 1 else list(args)
        if not items:
            if "default" in options:
                return options["default"]
            raise ModelMistake("R4", f"{name}() of an empty collection", f"{name}(..., default=...)")
        mark = callback(key, "key")
        best, best_mark = items[0], items[0] if mark is None else mark(items[0])
        for item in items[1:]:
            own = item if mark is None else mark(item)
            if comparison.compare(own, best_mark) * sign > 0:
                best, best_mark = item, own
        return best

    return Builtin(name, choose, 1, None, frozenset({"key", "default"}))


def _sorted(items: object, *, key: object = None, reverse: object = False) -> ListValue:
    chosen = iterable(items, "sorted()")
    return ListValue(comparison.sort(chosen, callback(key, "key"), boolean(reverse, "reverse")))


def _sum(items: object, start: object = 0) -> object:
    total: Any = number(start, "the start of sum()")
    for item in iterable(items, "sum()"):
        try:
            total = total + number(item, "an element of sum()")
        except OverflowError:
            raise ModelMistake("R24", "the result of sum() is too large for a float") from None
        if type(total) is int:
            check_int(total)
    return total


def _enumerate(items: object, start: object = 0) -> ListValue:
    first = integer(start, "the start of enumerate()")
    found = iterable(items, "enumerate()")
    METER.make(3 * len(found))
    return ListValue([(check_int(first + i), item) for i, item in enumerate(found)])


def _range(*args: object) -> range:
    bounds = [integer(arg, "an argument of range()") for arg in args]
    if len(bounds) == 3 and bounds[2] == 0:
        raise ModelMistake("R4", "the step of range() can not be 0")
    return range(*bounds)


def _repr(value: object) -> str:
    return to_display(value)


def _reversed(items: object) -> ListValue:
    found = iterable(items, "reversed()")
    METER.make(len(found))
    return ListValue(found[::-1])


def _type(value: object) -> str:
    return type_name(value)


def _zip(*collections: object) -> ListValue:
    columns = [iterable(items, "zip()") for items in collections]
    rows = min(map(len, columns), default=0)
    if len(columns) * rows > MAX_PARTS:
        raise too_many_parts()
    METER.make((len(columns) + 1) * rows)
    return ListValue(list(zip(*columns, strict=False)))


def _fail(*args: object) -> NoReturn:
    raise ModelMistake("R17", " ".join(["fail:", *[to_text(arg) for arg in args]]))


FUNCTIONS: dict[str, Builtin] = {
    function.name: function
    for function in (
        Builtin("abs", _abs, 1, 1),
        Builtin("all", _all, 1, 1),
        Builtin("any", _any, 1, 1),
        Builtin("chr", _chr, 1, 1),
        Builtin("dir", _dir, 1, 1),
        Builtin("enumerate", _enumerate, 1, 2, positions={"start": 1}),
        Builtin("fail", _fail, 0, None),
        Builtin("getattr", _getattr, 2, 3),
        Builtin("hasattr", _hasattr, 2, 2),
        Builtin("hash", _hash, 1, 1),
        Builtin("len", _len, 1, 1),
        _extreme("max", 1),
        _extreme("min", -1),
        Builtin("ord", _ord, 1, 1),
        Builtin("range", _range, 1, 3),
        Builtin("repr", _repr, 1, 1),
        Builtin("reversed", _reversed, 1, 1),
        Builtin("sorted", _sorted, 1, 1, frozenset({"key", "reverse"})),
        Builtin("sum", _sum, 1, 2, positions={"start": 1}),
        Builtin("type", _type, 1, 1),
        Builtin("zip", _zip, 0, None),
    )
}
