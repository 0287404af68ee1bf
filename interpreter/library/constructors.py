"""Functions that make values of a type, and `deepcopy` (language page, 5.2, 5.4)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from interpreter.library.arguments import integer, iterable, pairs, string
from interpreter.library.sets import frozen_set_of
from interpreter.values import Builtin
from interpreter.values.access import shown
from interpreter.values.basis import Value, ValueWalk, truth, type_name
from interpreter.values.budget import METER, characters, check_int, check_size
from interpreter.values.container import Container
from interpreter.values.containers import DictValue, FrozenSetValue, ListValue, RecordValue, SetValue, StructValue
from interpreter.values.formats import to_text
from interpreter.values.generics import BagValue, GenericMap, GenericSet
from interpreter.values.problem import ModelMistake


def _bool(value: object = False) -> bool:
    return truth(value)


def _bytes(value: object = b"") -> bytes:
    match value:
        case bytes():
            return value
        case str():
            METER.make(characters(value))
            made = value.encode(errors="surrogatepass")
            check_size(len(made), "the bytes")
            return made
    items = iterable(value, "bytes()")
    numbers = [integer(item, "an element of bytes()") for item in items]
    if not all(0 <= item < 256 for item in numbers):
        raise ModelMistake("R4", "bytes() needs ints from 0 to 255")
    METER.make(len(numbers) >> 4)
    return bytes(numbers)


def _float(value: object = 0.0) -> float:
    if isinstance(value, str) and len(value) > _most_digits():
        raise ModelMistake("R24", f"float() of a text of {len(value):,} characters")
    if not isinstance(value, bool | int | float | str):
        raise ModelMistake("R4", f"float() of a {type_name(value)}")
    try:
        return float(value)
    except ValueError:
        raise ModelMistake("R23", f"float({shown(value)}): not a number") from None
    except OverflowError:
        raise ModelMistake("R24", "float() of an int that is too large for a float") from None


def _most_digits() -> int:
    """No int within the limits has more digits in any base, leaving room for sign, prefix and underscores."""
    return METER.bits + 100


def _int(value: object = 0, base: object = None) -> int:
    if isinstance(value, str):
        return _int_of_text(value, 10 if base is None else integer(base, "the base of int()"))
    if base is not None:
        raise ModelMistake("R4", f"int() with a base needs a string, not a {type_name(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ModelMistake("R23", f"int({value!r}): not a finite number")
    if not isinstance(value, bool | int | float):
        raise ModelMistake("R4", f"int() of a {type_name(value)}")
    return int(value)


def _int_of_text(text: str, base: int) -> int:
    if len(text) > _most_digits():
        raise ModelMistake("R24", f"int() of a text of {len(text):,} characters")
    METER.charge(characters(text))
    if base != 0 and not 2 <= base <= 36:
        raise ModelMistake("R23", f"int() with the base {shown(base)}", "the base is 0, or 2 to 36")
    try:
        return check_int(int(text, base))
    except ValueError:
        raise ModelMistake("R23", f"int({shown(text)}): not a number in base {base}") from None


def _str(value: object = "") -> str:
    return to_text(value)


def _list(items: object = ()) -> ListValue:
    made = iterable(items, "list()")
    METER.make(len(made))
    return ListValue(made)


def _tuple(items: object = ()) -> tuple[object, ...]:
    if isinstance(items, tuple):
        return items
    made = iterable(items, "tuple()")
    METER.make(len(made))
    return tuple(made)


def _set(items: object = ()) -> SetValue:
    return SetValue.of(iterable(items, "set()"))


def _frozenset(items: object = ()) -> FrozenSetValue:
    return frozen_set_of(iterable(items, "frozenset()"))


def _dict(*args: object, **kwargs: object) -> DictValue:
    made = DictValue({})
    made.update([*(pairs(args[0], "dict()") if args else []), *kwargs.items()])
    return made


def _struct(**fields: object) -> StructValue:
    return StructValue(_named(fields, "struct()"))


def _record(**fields: object) -> RecordValue:
    return RecordValue(_named(fields, "record()"))


def _named(fields: dict[str, object], what: str) -> dict[str, object]:
    METER.make(len(fields))
    for name in fields:
        if name.startswith("__") or not name.isidentifier():
            raise ModelMistake("R4", f"{what}: {shown(name)} can not be the name of a field")
    return fields


def _enum(*names: object, **fields: object) -> StructValue:
    made: dict[str, object] = {}
    for name in names:
        text = string(name, "a name in enum()")
        if text in made or text in fields:
            raise ModelMistake("R4", f"enum() has the name '{text}' twice")
        made[text] = text
    return StructValue(_named({**made, **fields}, "enum()"))


def _genericset(items: object = ()) -> GenericSet:
    return GenericSet.of(iterable(items, "genericset()"))


def _genericmap(*args: object, **kwargs: object) -> GenericMap:
    made = GenericMap([])
    made.update([*(pairs(args[0], "genericmap()") if args else []), *kwargs.items()])
    return made


def _bag(items: object = ()) -> BagValue:
    made = iterable(items, "bag()")
    METER.make(len(made))
    return BagValue(made)


def deepcopy(value: object) -> object:
    """New containers with the same sharing among them; role instances and immutable values stay the same."""
    return _Copy().copy(value)


Made = TypeVar("Made")
_SCALARS: Final = frozenset({int, str, bool, float, type(None)})


class _Copy:
    """One deep copy, with a memo of the copies made: sharing is preserved, cycles end."""

    def __init__(self) -> None:
        self._walk = ValueWalk()
        # By identity; the original is kept so that its identity is not used again.
        self._copies: dict[int, tuple[object, object]] = {}
        self._costs: dict[int, int] = {}

    def copy(self, value: object) -> object:
        if type(value) in _SCALARS or not isinstance(value, (Value, tuple)):
            return value
        known = self._copies.get(id(value))
        if known is not None:
            # An immutable value is charged per occurrence: whether two are one object differs between engines.
            if not isinstance(value, Container):
                METER.make(self._costs[id(value)])
            return known[1]
        before = METER.count
        self._walk.enter(0)
        made = self._copied(value)
        self._walk.leave()
        if not isinstance(value, Container):
            self._costs[id(value)] = METER.count - before
        return made

    def _copied(self, value: object) -> object:
        match value:
            case ListValue():
                log = self._keep(value, ListValue([]))
                log.items = self._all(value.items)
                return log
            case DictValue():
                METER.make(2 * len(value.entries))
                table = self._keep(value, DictValue({}))
                table.entries = {token: (key, self.copy(item)) for token, (key, item) in value.entries.items()}
                return table
            case SetValue():
                METER.make(len(value.entries))
                return self._keep(value, SetValue(dict(value.entries)))
            case RecordValue():
                record = self._keep(value, RecordValue({}))
                record.fields = self._fields(value.fields)
                return record
            case GenericSet():
                group = self._keep(value, GenericSet([]))
                group.items = self._all(value.items)
                return group
            case GenericMap():
                METER.make(2 * len(value.pairs))
                relation = self._keep(value, GenericMap([]))
                relation.pairs = [(self.copy(key), self.copy(item)) for key, item in value.pairs]
                return relation
            case BagValue():
                bag = self._keep(value, BagValue([]))
                bag.items = self._all(value.items)
                return bag
            case tuple():
                return self._keep(value, tuple(self._all(value)))
            case StructValue():
                return self._keep(value, StructValue(self._fields(value.fields)))
        return value

    def _keep(self, value: object, made: Made) -> Made:
        self._copies[id(value)] = (value, made)
        return made

    def _all(self, items: Sequence[object]) -> list[object]:
        METER.make(len(items))
        copy = self.copy
        return [item if type(item) in _SCALARS else copy(item) for item in items]

    def _fields(self, fields: Mapping[str, object]) -> dict[str, object]:
        METER.make(len(fields))
        return {name: self.copy(item) for name, item in fields.items()}


CONSTRUCTORS: dict[str, Builtin] = {
    function.name: function
    for function in (
        Builtin("bag", _bag, 0, 1),
        Builtin("bool", _bool, 0, 1),
        Builtin("bytes", _bytes, 0, 1),
        Builtin("deepcopy", deepcopy, 1, 1),
        Builtin("dict", _dict, 0, 1, None),
        Builtin("enum", _enum, 0, None, None),
        Builtin("float", _float, 0, 1),
        Builtin("frozenset", _frozenset, 0, 1),
        Builtin("genericmap", _genericmap, 0, 1, None),
        Builtin("genericset", _genericset, 0, 1),
        Builtin("int", _int, 0, 2, positions={"base": 1}),
        Builtin("list", _list, 0, 1),
        Builtin("record", _record, 0, 0, None),
        Builtin("set", _set, 0, 1),
        Builtin("str", _str, 0, 1),
        Builtin("struct", _struct, 0, 0, None),
        Builtin("tuple", _tuple, 0, 1),
    )
}
