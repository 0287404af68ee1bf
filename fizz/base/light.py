"""A `dataclass` decorator with low start-up cost, for frozen classes that are internal to the program.

For each frozen dataclass the standard library generates and compiles six methods at start: 0.4 ms each, for two hundred
classes, while a small model is checked in 200 ms. This decorator generates `__init__` alone; the other methods are
shared. A type checker sees the standard `dataclass` and rejects assignment to fields of frozen classes; at run time
assignment is not prevented. With `FIZZPY_FROZEN` set, as in the tests, this *is* the standard `dataclass` and
assignment raises. Modules that import nothing else from this package use the standard library's.
"""

from __future__ import annotations

import dataclasses
import os
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

FROZEN: Final = bool(os.environ.get("FIZZPY_FROZEN"))

if TYPE_CHECKING:
    from dataclasses import dataclass
    from dataclasses import dataclass as light

    __all__ = ["dataclass", "light"]
else:

    def light(cls=None, /, *, frozen=False, slots=False, **options):
        """As in the standard library; light if the class is frozen, has slots and is compared by its fields."""
        if not (frozen and slots and options.keys() <= {"kw_only"}):
            return dataclasses.dataclass(cls, frozen=frozen, slots=slots, **options)
        return _light(cls, options) if cls is not None else lambda cls: _light(cls, options)

    dataclass = dataclasses.dataclass if FROZEN else light


def _light(cls: type, options: dict[str, Any]) -> type:
    # For a class without a docstring `dataclass` would compute its signature, which is slow.
    cls.__doc__ = cls.__doc__ or cls.__name__
    made: type = dataclasses.dataclass(cls, slots=True, eq=False, repr=False, **options)
    fields = dataclasses.fields(made)
    compared = [field.name for field in fields if field.compare]
    shown = [field.name for field in fields if field.repr]
    content = attrgetter(*compared) if compared else lambda instance: ()

    def equal(self: object, other: object) -> bool:
        return content(self) == content(other) if self.__class__ is other.__class__ else NotImplemented

    def hashed(self: object) -> int:
        return hash(content(self))

    def text(self: object) -> str:
        parts = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{self.__class__.__qualname__}({parts})"

    for name, method in (("__eq__", equal), ("__hash__", hashed), ("__repr__", text)):
        if name not in cls.__dict__:
            setattr(made, name, method)
    return made
