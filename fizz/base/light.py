"""`dataclass`, made light: for classes of which there are many and nobody outside has instances.

For each frozen dataclass Python writes and compiles six methods when the program starts: 0.4 ms, and there are two
hundred of them, while a small model is checked in 200 ms. Here it writes the one that makes an instance, and the rest
is shared. To a type checker this is the `dataclass` of the standard library: that nobody assigns to a field of a frozen
one is its business, while the program runs nothing stands in the way. Where `FIZZPY_FROZEN` is set it *is* that of the
standard library, and assigning fails: so the tests run. Modules that do without the rest of this package use the
standard library's.
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
        """As in the standard library; light if it is frozen and has slots, and is compared by its fields."""
        if not (frozen and slots and options.keys() <= {"kw_only"}):
            return dataclasses.dataclass(cls, frozen=frozen, slots=slots, **options)
        return _light(cls, options) if cls is not None else lambda cls: _light(cls, options)

    dataclass = dataclasses.dataclass if FROZEN else light


def _light(cls: type, options: dict[str, Any]) -> type:
    # Of a class without one a text would be made that shows how it is called.
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
