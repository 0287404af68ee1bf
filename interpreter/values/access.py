"""Elements of values: indexing, slices, membership, iteration (language page, 5.1, 6.5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fizz.base.near_names import near_hint
from interpreter.values import StructValue
from interpreter.values.basis import equal, type_name
from interpreter.values.budget import METER, characters, check_int, check_size, search
from interpreter.values.container import Container
from interpreter.values.containers import DictValue, FrozenSetValue, ListValue, SetValue
from interpreter.values.freeze import canonical_sort, display, sorted_elements
from interpreter.values.generics import BagValue, GenericMap, GenericSet
from interpreter.values.problem import ModelMistake, with_article

_SHOWN = 60
_MOST_SHOWN = 10_000
"""Values of more parts are described by their type in a message."""
_MOST_NAMES = 1_000
"""Near names are looked for in collections of up to this size."""


def shown(value: object) -> str:
    """The display text of a value, shortened for a message."""
    try:
        written = display(value, _MOST_SHOWN)
    except ModelMistake:  # too large or too deep to be written
        return with_article(type_name(value))
    return written if len(written) <= _SHOWN else written[: _SHOWN - 3] + "..."


def range_length(value: range) -> int:
    """The length of a range of any size (`len` ends at a machine word)."""
    if not value:
        return 0
    return (value[-1] - value.start) // value.step + 1


def length(value: object) -> int:
    """`len(v)`."""
    match value:
        case str() | bytes() | tuple():
            return len(value)
        case range():
            return check_int(range_length(value))
        case FrozenSetValue():
            return value.size()
        case Container() if value.kind != "record":
            return value.size()
    raise ModelMistake("R4", f"{with_article(type_name(value))} has no length")


def _position(value: object, i: object, size: int) -> int:
    """The non-negative position of an index in a sequence; R2 if it is out of range."""
    if not isinstance(i, int) or type(i) is not int:
        raise ModelMistake("R4", f"the index of a {type_name(value)} must be an int, not a {type_name(i)}")
    if not -size <= i < size:
        raise ModelMistake("R2", f"index {shown(i)} is out of range for {shown(value)} of length {size}")
    return i if i >= 0 else i + size


def key_missing(container: object, key: object) -> ModelMistake:
    """R2 for a key that is not in a dict or genericmap."""
    hint = None
    if isinstance(key, str) and isinstance(container, DictValue) and container.size() <= _MOST_NAMES:
        hint = near_hint(key, [k for k in container.known_keys() if isinstance(k, str)])
    return ModelMistake("R2", f"key {shown(key)} not found in {shown(container)}", hint)


def index(value: object, i: object) -> object:
    """`v[i]`."""
    match value:
        case ListValue():
            return value.element(_position(value, i, value.size()))
        case DictValue() | GenericMap():
            pair = value.find(i)
            if pair is None:
                raise key_missing(value, i)
            return pair[1]
        case str() | bytes() | tuple():
            return value[_position(value, i, len(value))]
        case range():
            return value[_position(value, i, range_length(value))]
    raise ModelMistake("R4", f"{with_article(type_name(value))} can not be indexed", _field_hint(value))


def _field_hint(value: object) -> str | None:
    return "fields stand behind a dot: v.name" if type_name(value) in ("struct", "record", "role") else None


def set_index(value: object, i: object, item: object) -> None:
    """`v[i] = item`."""
    match value:
        case ListValue():
            value.put(_position(value, i, value.size()), item)
        case DictValue() | GenericMap():
            value.put(i, item)
        case _:
            raise ModelMistake("R4", f"elements of a {type_name(value)} can not be assigned", _field_hint(value))


def slice_of(value: object, start: object, stop: object, step: object) -> object:
    """`v[start:stop:step]`, parts that are left out being None."""
    for bound in (start, stop, step):
        if bound is not None and type(bound) is not int:
            raise ModelMistake("R4", f"a slice needs ints, not a {type_name(bound)}")
    if step == 0:
        raise ModelMistake("R4", "the step of a slice can not be 0")
    part: Any = slice(start, stop, step)
    match value:
        case ListValue():
            METER.make(len(range(*part.indices(value.size()))))
            return ListValue(value.part(part))
        case tuple():
            METER.make(len(range(*part.indices(len(value)))))
            return value[part]
        case str() | bytes():
            METER.make(characters(value))
            return value[part]
        case range():
            return value[part]
    raise ModelMistake("R4", f"{with_article(type_name(value))} has no slices")


def contains(item: object, value: object) -> bool:
    """`item in v`."""
    match value:
        case DictValue():
            return value.has(item)
        case SetValue() | FrozenSetValue():
            return value.holds(item)
        case ListValue():
            return position_of(item, value.items) is not None
        case tuple():
            return position_of(item, value) is not None
        case GenericMap():
            return value.position_of(item) is not None
        case GenericSet() | BagValue():
            return value.holds(item)
        case str():
            if isinstance(item, str):
                METER.charge(search(len(value), len(item)))
                return item in value
            raise ModelMistake("R4", f"'in' a string needs a string, not a {type_name(item)}")
        case bytes():
            if isinstance(item, bytes):
                METER.charge(search(len(value), len(item)))
                return item in value
            METER.charge(characters(value))
            if isinstance(item, int) and type(item) is int:
                return 0 <= item < 256 and item in value
            raise ModelMistake("R4", f"'in' bytes needs an int or bytes, not a {type_name(item)}")
        case range():
            if isinstance(item, float) and item.is_integer():
                return int(item) in value
            return type(item) is int and item in value
    raise ModelMistake("R4", f"'in' needs a collection, not a {type_name(value)}")


def position_of(item: object, items: Sequence[object], first: int = 0, last: int | None = None) -> int | None:
    """The position of the first element equal to `item`, from `first` to before `last`; visited ones are charged."""
    end = len(items) if last is None else last
    for position in range(first, end):
        if equal(items[position], item):
            METER.charge(position + 1 - first)
            return position
    METER.charge(max(0, end - first))
    return None


def _size_written_out(value: range) -> int:
    """The length of a range whose elements are to be listed, R24 if it is too long."""
    count = range_length(value)
    check_size(count, "the range, written out,")
    return count


def elements(value: object) -> list[object]:
    """A new list of the elements, in the order of this step: dicts (keys) and sets as inserted, bags canonical."""
    found = _listed(value)
    METER.count += len(found)
    if METER.count > METER.pause:
        METER.look()
    return found


def _listed(value: object) -> list[object]:
    match value:
        case ListValue() | GenericSet():
            return list(value.items)
        case tuple() | bytes():
            return list(value)
        case DictValue():
            return value.known_keys()
        case SetValue() | FrozenSetValue():
            return list(value.entries.values())
        case BagValue():
            return canonical_sort(value.items)
        case GenericMap():
            return [key for key, _ in value.pairs]
        case range():
            _size_written_out(value)
            return list(value)
        case str():
            raise ModelMistake("R4", "a string is not iterable", "its characters are s.elems()")
    hint = "a struct has named fields: dir(v) lists them" if isinstance(value, StructValue) else None
    raise ModelMistake("R4", f"{with_article(type_name(value))} is not iterable", hint)


def iterate(value: object) -> list[object]:
    """A list of the elements that a `for` or a choice takes: as `elements`, but sets in canonical order (6.5)."""
    match value:
        case SetValue():
            return sorted_elements(elements(value))
        case GenericSet():
            return canonical_sort(elements(value))
    return elements(value)


def iterated(value: object) -> Sequence[object]:
    """As `iterate`, but a range is returned as it is: it is an immutable sequence."""
    if type(value) is not range:
        return iterate(value)
    METER.charge(_size_written_out(value))
    return value


def iterate_live(value: object) -> Iterator[object]:
    """The elements for a comprehension or a `def` loop: changing the collection meanwhile is R8. Close it when done."""
    items = elements(value)
    if not isinstance(value, Container):
        yield from items
        return
    with value.guarded():
        yield from items
