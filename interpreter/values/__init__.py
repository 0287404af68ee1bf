"""The values of one step: thawed, and the mutable ones really mutable (language page, 5.1, 5.4).

A step works on these; between steps there are only interned ids (`intern`), and `freeze` goes from one to the other.
"""

from __future__ import annotations

from interpreter.values.basis import Value, ValueWalk, equal, hash_key, truth, type_name
from interpreter.values.container import Container
from interpreter.values.containers import (
    DictValue,
    ListValue,
    RecordValue,
    SetValue,
    StructValue,
    mark_frozen,
)
from interpreter.values.functions import BoundMethod, Builtin, FunctionValue, ModuleValue
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
