"""`Container`: what every mutable value can do, and `Parted`: containers that may be read part by part.

Every change goes through `change`, which refuses frozen constants (R7) and collections that are being iterated over
(R8), and every growth is measured before it happens (R24).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from interpreter.values.basis import Value
from interpreter.values.budget import check_size
from interpreter.values.pending import ContainerShape, Pending, PendingSet
from interpreter.values.problem import ModelMistake


class Container(Value):
    """A mutable value.

    `frozen`: it belongs to a constant. `iterating`: how many loops are at it now. `changed`: it is not as it was made.
    """

    __slots__ = ("changed", "frozen", "iterating")
    changed: bool
    frozen: bool
    iterating: int

    def members(self) -> Iterator[object]:
        """Everything directly inside, keys included."""
        raise NotImplementedError

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


class Parted(Container):
    """A container that may be read part by part.

    As long as it is `pending`, it has no content of its own; whoever looks at the content makes it ask for all of it.
    """

    __slots__ = ("pending",)
    pending: Any
    """A `Pending`, of sets a `PendingSet`; None if there is a content."""
    content: ClassVar[str]
    """The name of the attribute with the content."""

    @classmethod
    def opened(cls, pending: Pending | PendingSet) -> Parted:
        """A container whose members are not known yet."""
        made = cls.__new__(cls)
        made.frozen = False
        made.iterating = 0
        made.changed = False
        made.pending = pending
        return made

    @staticmethod
    def filled(pending: Any) -> object:
        """The content of one that was pending, asked for."""
        raise NotImplementedError

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """Python comes here only for an attribute without a value: the content of a pending container."""
            if name != self.content or self.pending is None:
                raise AttributeError(name)
            content = self.filled(self.pending)
            setattr(self, name, content)
            self.pending = None
            return content

    def each(self, shape: ContainerShape) -> list[object]:
        """The members of one that has this shape, in its order."""
        raise NotImplementedError

    def by_step(self, shape: ContainerShape) -> list[tuple[str, object]] | None:
        """The members of one that is not pending, with the steps to them; None if its shape is another one now."""
        raise NotImplementedError

    def size(self) -> int:
        size: int = len(getattr(self, self.content)) if self.pending is None else self.pending.size()
        return size
