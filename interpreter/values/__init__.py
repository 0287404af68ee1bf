"""The runtime values of one step; mutable ones are changed in place (language page, 5.1, 5.4).

Between steps there are only interned ids (`intern`); `freeze` converts runtime values to ids and back.
"""

from __future__ import annotations

from interpreter.values.basis import Value, ValueWalk, equal, hash_key, truth, type_name
from interpreter.values.callables import BoundMethod, Builtin, FunctionValue, ModuleValue
from interpreter.values.container import Container
from interpreter.values.containers import (
    DictValue,
    FrozenSetValue,
    ListValue,
    RecordValue,
    SetValue,
    StructValue,
    mark_frozen,
)
from interpreter.values.generics import BagValue, GenericMap, GenericSet
from interpreter.values.references import (
    Channel,
    FieldStore,
    HostValue,
    Instance,
    ModelValue,
    Stub,
    SymmetricValue,
)

__all__ = [
    "BagValue",
    "BoundMethod",
    "Builtin",
    "Channel",
    "Container",
    "DictValue",
    "FieldStore",
    "FrozenSetValue",
    "FunctionValue",
    "GenericMap",
    "GenericSet",
    "HostValue",
    "Instance",
    "ListValue",
    "ModelValue",
    "ModuleValue",
    "RecordValue",
    "SetValue",
    "StructValue",
    "Stub",
    "SymmetricValue",
    "Value",
    "ValueWalk",
    "equal",
    "hash_key",
    "mark_frozen",
    "truth",
    "type_name",
]
