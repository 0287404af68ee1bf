"""The methods of lists (language page, 5.3)."""

from __future__ import annotations

from interpreter.library.arguments import boolean, callback, integer, iterable, method_table
from interpreter.values import Builtin
from interpreter.values.access import position_of, shown
from interpreter.values.basis import equal
from interpreter.values.budget import METER
from interpreter.values.comparison import sort
from interpreter.values.containers import ListValue
from interpreter.values.problem import ModelMistake


def _index(log: ListValue, item: object, start: object = 0, end: object = None) -> int:
    first, last, _ = slice(integer(start, "the start"), None if end is None else integer(end, "the end")).indices(
        len(log.items)
    )
    position = position_of(item, log.items, first, last)
    if position is not None:
        return position
    raise ModelMistake("R2", f"{shown(item)} not found in {shown(log)}")


def _count(log: ListValue, item: object) -> int:
    METER.charge(len(log.items))
    return sum(1 for other in log.items if equal(other, item))


def _clear(log: ListValue) -> None:
    log.replace([])


def _extend(log: ListValue, items: object) -> None:
    more = iterable(items, "extend()")  # it may be the list itself, which becomes another class when it is read
    log.extend(more)


def _insert(log: ListValue, index: object, item: object) -> None:
    size = len(log.items)
    log.insert(max(-size, min(integer(index, "the index"), size)), item)


def _pop(log: ListValue, index: object = -1) -> object:
    wanted = integer(index, "the index")
    if not -len(log.items) <= wanted < len(log.items):
        what = "pop() from an empty list" if not log.items else f"pop({shown(wanted)}) from {shown(log)}"
        raise ModelMistake("R2", what)
    return log.take(wanted)


def _remove(log: ListValue, item: object) -> None:
    log.take(_index(log, item))


def _reverse(log: ListValue) -> None:
    METER.charge(len(log.items))
    log.replace(log.items[::-1])


def _sort(log: ListValue, *, key: object = None, reverse: object = False) -> None:
    log.change()
    order = callback(key, "key")
    with log.guarded():
        items = sort(log.items, order, boolean(reverse, "reverse"))
    log.replace(items)


LIST = method_table(
    {
        "append": (lambda log, item: log.append(item), 1, 1),
        "clear": (_clear, 0, 0),
        "count": (_count, 1, 1),
        "extend": (_extend, 1, 1),
        "index": (_index, 1, 3),
        "insert": (_insert, 2, 2),
        "pop": (_pop, 0, 1),
        "remove": (_remove, 1, 1),
        "reverse": (_reverse, 0, 0),
    }
) | {"sort": Builtin("sort", _sort, 0, 0, frozenset({"key", "reverse"}))}
