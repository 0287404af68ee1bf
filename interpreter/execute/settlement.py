"""The end of an execution path: the containers that are shared by then, and the ids of values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, Protocol

from interpreter.execute.reach import members
from interpreter.values import Container, SetValue, StructValue
from interpreter.values.freeze import freeze
from interpreter.values.intern import Interner, Tag
from interpreter.values.problem import MAX_DEPTH, too_deep

FEW_SHARED: Final = 4
"""Up to this many shared containers need no check of depth: the values in each are within the limit on nesting."""

_PLAIN: Final = frozenset({int, str, bool, float, bytes, type(None)})
"""Types of values without containers inside, of which there may be a million."""


class Freezes(Protocol):
    """Computes the ids of values."""

    def freeze(self, value: object) -> int:
        """The id of a value."""


class Settlement:
    """The containers that are shared at the end of a step, and the ids of values with references to them.

    `cells`: the shared containers of the state that the step has read; `held`: all values that remain. `begin` returns
    the first free number of a cell.
    """

    def __init__(
        self, interner: Interner, cells: Mapping[int, object], held: list[object], begin: Callable[[], int]
    ) -> None:
        self._interner = interner
        self._by_object: dict[int, int] = {}
        self._containers: dict[int, object] = {}
        for k, container in cells.items():
            self._by_object[id(container)] = k
            self._containers[k] = container
        self._reached: set[int] = set()
        self._shared: dict[int, object] = {}
        self._meetings: Counter[int] = Counter()
        self._reach(held)
        if len(self._by_object) > FEW_SHARED:
            _check_depth(held)
        for container in list(self._containers.values()):
            self._reach(members(container))
        if self._shared:
            for k, container in enumerate(self._shared.values(), begin()):
                self._by_object[id(container)] = k
                self._containers[k] = container

    def _reach(self, values: Iterable[object]) -> None:
        """Records the containers in these values; those that were reached before are shared."""
        pending = list(values)
        while pending:
            value = pending.pop()
            if isinstance(value, Container):
                if value.frozen or id(value) in self._by_object:
                    continue
                if id(value) in self._reached:
                    self._shared[id(value)] = value
                    continue
                self._reached.add(id(value))
                if isinstance(value, SetValue):
                    continue  # members of a set are immutable
            elif isinstance(value, (tuple, StructValue)):
                # At the second visit the containers in it are shared. A third visit finds nothing more.
                self._meetings[id(value)] += 1
                if self._meetings[id(value)] > 2:
                    continue
            else:
                continue
            pending += [member for member in members(value) if type(member) not in _PLAIN]

    def cells(self) -> Iterator[tuple[int, object]]:
        return iter(self._containers.items())

    def reaches(self, container: object) -> bool:
        """Whether a container is reachable at the end of the step."""
        return id(container) in self._reached

    @property
    def sharing(self) -> bool:
        """Whether any container is shared."""
        return bool(self._by_object)

    def shared(self, container: object) -> bool:
        """Whether a container is referenced more than once."""
        return id(container) in self._by_object

    def freeze(self, value: object) -> int:
        """The id of a value, shared containers replaced by references."""
        return freeze(value, self._interner, self._reference)

    def freeze_content(self, container: object) -> int:
        """The id of the content of a shared container."""
        inside = False

        def reference(inner: object) -> int | None:
            # The first call is for the container itself; inside, it is a reference like any other.
            nonlocal inside
            if not inside:
                inside = True
                return None
            return self._reference(inner)

        return freeze(container, self._interner, reference)

    def _reference(self, container: object) -> int | None:
        k = self._by_object.get(id(container))
        return None if k is None else self._interner.intern(Tag.REF, (k,))


def _check_depth(values: list[object]) -> None:
    """R24 if shared containers are nested too deeply, though each alone may be shallow."""
    pending = [(value, 0) for value in values]
    met: set[int] = set()
    while pending:
        value, depth = pending.pop()
        if not isinstance(value, (Container, tuple, StructValue)) or id(value) in met:
            continue
        met.add(id(value))
        if depth > MAX_DEPTH:
            raise too_deep()
        pending += [(member, depth + 1) for member in members(value)]
