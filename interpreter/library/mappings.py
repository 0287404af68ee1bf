"""The methods of dicts and genericmaps (language page, 5.3, 5.4)."""

from __future__ import annotations

from interpreter.library.arguments import method_table, pairs
from interpreter.values import Builtin
from interpreter.values.access import key_missing
from interpreter.values.budget import METER
from interpreter.values.containers import DictValue, ListValue
from interpreter.values.generics import GenericMap
from interpreter.values.problem import ModelMistake

Mapping = DictValue | GenericMap


class _Absent:
    """The class of `_ABSENT`, the default of an argument that was not given."""


_ABSENT = _Absent()


def _listed(table: Mapping) -> list[tuple[object, object]]:
    found = list(table.pairs) if isinstance(table, GenericMap) else list(table.entries.values())
    METER.make(len(found))
    return found


def _get(table: Mapping, key: object, default: object = None) -> object:
    pair = table.find(key)
    return default if pair is None else pair[1]


def _items(table: Mapping) -> ListValue:
    return ListValue(list(_listed(table)))


def _keys(table: Mapping) -> ListValue:
    return ListValue([key for key, _ in _listed(table)])


def _values(table: Mapping) -> ListValue:
    return ListValue([value for _, value in _listed(table)])


def _pop(table: Mapping, key: object, default: object = _ABSENT) -> object:
    table.change()
    if table.find(key) is not None:
        return table.take(key)
    if default is _ABSENT:
        raise key_missing(table, key)
    return default


def _popitem(table: Mapping) -> tuple[object, object]:
    table.change()
    if not table.size():
        raise ModelMistake("R2", f"popitem() from an empty {table.kind}")
    # Python skips the slots of all entries that were removed before.
    METER.charge(table.size() >> 4)
    key, value = table.pairs[0] if isinstance(table, GenericMap) else next(iter(table.entries.values()))
    table.take(key)
    return key, value


def _setdefault(table: Mapping, key: object, default: object = None) -> object:
    pair = table.find(key)
    if pair is not None:
        return pair[1]
    table.put(key, default)
    return default


def _update(table: Mapping, /, *args: object, **kwargs: object) -> None:
    table.update([*(pairs(args[0], "update()") if args else []), *kwargs.items()])


MAPPING = {
    **method_table(
        {
            "clear": (lambda table: table.clear(), 0, 0),
            "get": (_get, 1, 2),
            "items": (_items, 0, 0),
            "keys": (_keys, 0, 0),
            "pop": (_pop, 1, 2),
            "popitem": (_popitem, 0, 0),
            "setdefault": (_setdefault, 1, 2),
            "values": (_values, 0, 0),
        }
    ),
    "update": Builtin("update", _update, 0, 1, None),
}
