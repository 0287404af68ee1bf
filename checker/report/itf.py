"""A counterexample in the Informal Trace Format, which the trace viewers of Apalache and Quint read.

Integers beyond 2^53, tuples, sets and maps have their own forms in the format; a value without a form (float, bytes)
is written as `#unserializable` with its display text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checker.core.trace import Trace
from checker.report.json_report import json_text
from fizz.base.light import dataclass
from interpreter.explain.contents import Contents
from interpreter.values import (
    BagValue,
    DictValue,
    FrozenSetValue,
    GenericMap,
    GenericSet,
    Instance,
    ListValue,
    ModelValue,
    RecordValue,
    SetValue,
    StructValue,
    Stub,
    SymmetricValue,
    equal,
)
from interpreter.values.freeze import display

_FORMAT = "https://apalache-mc.org/docs/adr/015adr-trace.html"
_LARGEST = 2**53
_DEEPEST = 100
_LONGEST_RANGE = 10_000
_ABSENT = {"#unserializable": "absent"}
_OWN = ("action", "threads", "messages")


@dataclass(frozen=True, slots=True)
class ItfTrace:
    """A trace and the contents of its states. The last entry has none if the model failed in it."""

    model: str
    what: str
    trace: Trace
    contents: Sequence[Contents]


def itf_text(itf: ItfTrace) -> str:
    """The trace as text. The state that a lasso returns to is not repeated at its end: `loop` says which it is."""
    trace, states = itf.trace, list(itf.contents)
    loop = None
    if trace.cycle_start is not None:
        states, loop = states[:-1], trace.cycle_start - 1
    elif trace.stutter:
        loop = len(states) - 1
    names = _names(states)
    meta: dict[str, object] = {
        "format": "ITF",
        "format-description": _FORMAT,
        "source": itf.model,
        "description": itf.what,
    }
    if trace.cycle_start is not None:
        meta["loop-action"] = trace.entries[-1].label
    fields: dict[str, object] = {"#meta": meta, "vars": [own for own, _ in names]}
    fields["states"] = [_state(i, state, trace.entries[i].label, names) for i, state in enumerate(states)]
    if loop is not None:
        fields["loop"] = loop
    return json_text(fields) + "\n"


def _names(states: Sequence[Contents]) -> list[tuple[str, str]]:
    """Variables with their sources: `=x` a state variable, `#R` a role, else one that is added here."""
    variables = dict.fromkeys(name for state in states for name in state.variables)
    roles = dict.fromkeys(role for state in states for role, _ in state.instances)
    taken = {*variables, *roles}
    names = [(name, f"={name}") for name in variables] + [(role, f"#{role}") for role in roles]
    for own in _OWN:
        free = f"_{own}"
        while free in taken:
            free = f"_{free}"
        names.append((free, own))
    return names


def _state(index: int, state: Contents, label: str, names: list[tuple[str, str]]) -> dict[str, object]:
    fields: dict[str, object] = {"#meta": {"index": index}}
    for name, what in names:
        match what[0], what:
            case "=", _:
                variables = state.variables
                fields[name] = itf_value(variables[what[1:]]) if what[1:] in variables else _ABSENT
            case "#", _:
                owned = [(one, values) for (role, one), values in state.instances.items() if role == what[1:]]
                fields[name] = {"#map": [[one, _record(values)] for one, values in owned]}
            case _, "action":
                fields[name] = label
            case _:
                fields[name] = list(state.threads if what == "threads" else state.messages)
    return fields


def itf_value(value: object, depth: int = 0) -> object:
    """A value of the language in its ITF form."""
    if depth > _DEEPEST:
        return {"#unserializable": "nested too deeply"}
    match value:
        case bool() | str():
            return value
        case int():
            return value if -_LARGEST < value < _LARGEST else {"#bigint": str(value)}
        case None:
            return {"tag": "None", "value": {"#tup": []}}
        case tuple():
            return {"#tup": [itf_value(item, depth + 1) for item in value]}
        case range():
            return [itf_value(item, depth + 1) for item in value] if len(value) < _LONGEST_RANGE else _text(value)
        case ListValue():
            return [itf_value(item, depth + 1) for item in value.members()]
        case SetValue() | GenericSet():
            return {"#set": [itf_value(item, depth + 1) for item in value.members()]}
        case FrozenSetValue():
            return {"#set": [itf_value(item, depth + 1) for item in value.entries.values()]}
        case BagValue():
            counted = [[itf_value(item, depth + 1), count] for item, count in _counted(value)]
            return {"#map": counted}
        case DictValue() | GenericMap():
            return {"#map": [[itf_value(k, depth + 1), itf_value(v, depth + 1)] for k, v in _pairs(value)]}
        case StructValue() | RecordValue():
            return _record(value.fields, depth + 1)
        case Instance() | ModelValue() | SymmetricValue() | Stub():
            return display(value)
    return _text(value)


def _record(fields: dict[str, object], depth: int = 0) -> dict[str, object]:
    return {name: itf_value(value, depth + 1) for name, value in fields.items()}


def _pairs(value: DictValue | GenericMap) -> Iterator[tuple[object, object]]:
    yield from value.entries.values() if isinstance(value, DictValue) else value.pairs


def _counted(bag: BagValue) -> list[tuple[object, int]]:
    """The distinct elements of a bag and how often each is in it."""
    found: list[tuple[object, int]] = []
    for item in bag.members():
        for index, (known, count) in enumerate(found):
            if equal(known, item):
                found[index] = (known, count + 1)
                break
        else:
            found.append((item, 1))
    return found


def _text(value: object) -> dict[str, str]:
    return {"#unserializable": display(value)}
