"""`Container`: what every mutable value can do.

Every change goes through `change`, which refuses frozen constants (R7) and collections that are being iterated over
(R8), and every growth is measured before it happens (R24).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import ClassVar

from interpreter.values.basis import Value
from interpreter.values.budget import check_size
from interpreter.values.problem import ModelMistake


class Container(Value):
    """A mutable value.

    `frozen`: it belongs to a constant. `iterating`: how many loops are at it now. `changed`: it is not as it was made.
    `content`: the name of the attribute with what is inside. What derives from the class of a list is a list.
    """

    __slots__ = ("changed", "frozen", "iterating")
    content: ClassVar[str]
    changed: bool
    frozen: bool
    iterating: int

    def members(self) -> Iterator[object]:
        """Everything directly inside, keys included."""
        raise NotImplementedError

    def met(self) -> Iterable[object]:
        """What is directly inside, as far as the step can have looked at it or put it there."""
        return self.members()

    def size(self) -> int:
        """The number of elements, pairs or fields."""
        raise NotImplementedError

    def is_true(self) -> bool:
        return self.size() > 0

    def change(self, size: int = 0) -> None:
        """Ask before changing it to have `size` elements: R7, R8, R24."""
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
        """Changing it inside the `with` block is R8."""
        self.iterating += 1
        try:
            yield
        finally:
            self.iterating -= 1

    def undo(self) -> Callable[[], None]:
        """What makes it again what it is now, any number of times. The members stay the same objects."""
        content, changed = getattr(self, self.content).copy(), self.changed

        def put_back() -> None:
            setattr(self, self.content, content.copy())
            self.changed = changed

        return put_back
