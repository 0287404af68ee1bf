"""Attributes of values: fields and methods, from closed tables (language page, 5.3, 5.4)."""

from __future__ import annotations

from collections.abc import Mapping

from fizz.base.near_names import near_hint
from interpreter.library.arguments import Methods
from interpreter.library.lists import LIST
from interpreter.library.mappings import MAPPING
from interpreter.library.sets import BAG, FROZEN_SET, GENERIC_SET, SET
from interpreter.library.strings import STRING
from interpreter.values import (
    BoundMethod,
    Builtin,
    Channel,
    HostValue,
    Instance,
    ModelValue,
    ModuleValue,
    Stub,
    SymmetricValue,
)
from interpreter.values.basis import type_name
from interpreter.values.containers import DictValue, FrozenSetValue, ListValue, RecordValue, SetValue, StructValue
from interpreter.values.generics import BagValue, GenericMap, GenericSet
from interpreter.values.problem import ModelMistake, with_article

METHODS: Mapping[str, Methods] = {
    "string": STRING,
    ListValue.kind: LIST,
    DictValue.kind: MAPPING,
    SetValue.kind: SET,
    FrozenSetValue.kind: FROZEN_SET,
    GenericSet.kind: GENERIC_SET,
    GenericMap.kind: MAPPING,
    BagValue.kind: BAG,
}
"""By the names of types."""


def get_attribute(value: object, name: str) -> object:
    """`v.name`, or R3 with near names; attributes of an instance are found by its world."""
    if isinstance(value, Instance):
        return value.world.get_attribute(value, name)
    if not _hidden(value, name):
        methods = METHODS.get(type_name(value))
        if methods is not None:
            method = methods.get(name)
            if method is not None:
                return BoundMethod(value, method)
        if isinstance(value, RecordValue):
            if value.has(name):
                return value.field(name)
        else:
            fields = _fields(value)
            if name in fields:
                return fields[name]
    text = f"no attribute '{name}' on {with_article(_described(value))}"
    raise ModelMistake("R3", text, near_hint(name, attribute_names(value)))


def _hidden(value: object, name: str) -> bool:
    """Whether a name is private to a module; in a state, variables may have names that begin with `_`."""
    return name.startswith("_") and isinstance(value, ModuleValue)


def _fields(value: object) -> Mapping[str, object]:
    match value:
        case StructValue() | RecordValue():
            return value.fields
        case ModuleValue():
            return value.members
        case ModelValue():
            return {"name": value.name, "index": value.index}
        case SymmetricValue():
            return {"name": value.domain, "index": value.index}
        case Channel():
            return {"stub": Builtin("stub", lambda instance: _stub(value, instance), 1, 1)}
        case HostValue():
            return value.attributes()
    return {}


def _stub(channel: Channel, instance: object) -> Stub:
    if not isinstance(instance, Instance):
        raise ModelMistake("R4", "stub() takes a role instance")
    return Stub(channel, instance)


def attribute_names(value: object) -> list[str]:
    """The names of attributes, sorted: the result of `dir(v)`."""
    if isinstance(value, Instance):
        return sorted(value.world.attribute_names(value))
    names = {*METHODS.get(type_name(value), ()), *_fields(value)}
    return sorted(name for name in names if not _hidden(value, name))


def set_attribute(value: object, name: str, item: object) -> None:
    """`v.name = item`: a field of a record or of a role instance; R10 for a struct."""
    match value:
        case Instance():
            value.world.set_attribute(value, name, item)
        case RecordValue():
            if name.startswith("__"):
                raise ModelMistake("R3", f"names beginning with '__' can not be fields: '{name}'")
            value.put(name, item)
        case StructValue():
            raise ModelMistake("R10", f"field '{name}' of a struct is read-only", "use a record")
        case _:
            raise ModelMistake("R3", f"attributes of {with_article(_described(value))} can not be assigned")


def _described(value: object) -> str:
    return f"module '{value.name}'" if isinstance(value, ModuleValue) else type_name(value)
