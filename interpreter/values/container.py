"""`Container`: the operations of every mutable value.

Every change goes through `change`, which refuses frozen constants (R7), collections that are being iterated over (R8)
and sizes beyond the limit (R24).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import ClassVar

from interpreter.values.basis import Value
from interpreter.values.budget import METER, check_size
from interpreter.values.problem import ModelMistake


class Container(Value):
    """A mutable value.

    `frozen`: it belongs to a constant. `iterating`: the number of loops that iterate over it now. `changed`: it was
    changed since it was made.
    `content`: the name of the attribute with the elements. Subclasses of the class of a list are lists.
    """

    __slots__ = ("changed", "frozen", "iterating")
    content: ClassVar[str]
    changed: bool
    frozen: bool
    iterating: int

    def members(self) -> Iterator[object]:
        """The values directly inside, keys included."""
        raise NotImplementedError

    def met(self) -> Iterable[object]:
        """The values directly inside that the step may have read or stored."""
        return self.members()

    def size(self) -> int:
        """The number of elements, pairs or fields."""
        raise NotImplementedError

    def is_true(self) -> bool:
        return self.size() > 0

    def change(self, size: int = 0) -> None:
        """Called before a change after which it has `size` elements: R7, R8, R24."""
        if self.frozen:
            raise ModelMistake(
                "R7", f"this {self.kind} is a constant, it can not be changed", "change a deepcopy of it"
            )
        if self.iterating:
            raise ModelMistake("R8", f"changing a {self.kind} while iterating over it", "iterate over a copy")
        check_size(size, f"the {self.kind}")
        self.changed = True

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Within the `with` block every change is refused (R8)."""
        self.iterating += 1
        try:
            yield
        finally:
            self.iterating -= 1

    def undo(self) -> Callable[[], None]:
        """A function that restores the present content, any number of times. The members stay the same objects."""
        content, changed = getattr(self, self.content).copy(), self.changed

        def restore() -> None:
            setattr(self, self.content, content.copy())
            self.changed = changed

        return restore


class Table(Container):
    """A container of pairs of a key and a value."""

    __slots__ = ()

    def put(self, key: object, value: object) -> None:
        """Binds a key; a key that is present keeps its position and its form."""
        raise NotImplementedError

    def update(self, pairs: Collection[tuple[object, object]]) -> None:
        """Binds each of the keys."""
        self.change()
        METER.charge(2 * len(pairs))
        for key, value in pairs:
            self.put(key, value)
