"""The end of a way: which containers are shared by then, and the ids of values in that light."""

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
"""So few shared containers can not nest deeper than anybody can follow: what is inside each is nested within limits."""

_PLAIN: Final = frozenset({int, str, bool, float, bytes, type(None)})
"""What holds no containers, and may be there a million times."""


class Freezes(Protocol):
    """Something that knows the ids of values."""

    def freeze(self, value: object) -> int:
        """The id of a value."""


class Settlement:
    """Which containers are shared at the end of a step, and the ids of values in that light.

    `cells`: those that the step has met of the containers that were shared before; `held`: all values that are left.
    `begin` gives the first number of a cell that is free.
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
        """Note the containers in these values, and those that were reached before."""
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
                    continue  # nothing that can change is in a set
            elif isinstance(value, (tuple, StructValue)):
                # Met a second time, the containers in it are shared. A third look would find nothing more.
                self._meetings[id(value)] += 1
                if self._meetings[id(value)] > 2:
                    continue
            else:
                continue
            pending += [member for member in members(value) if type(member) not in _PLAIN]

    def cells(self) -> Iterator[tuple[int, object]]:
        return iter(self._containers.items())

    def reaches(self, container: object) -> bool:
        """Whether a container is part of what is left at the end of the step."""
        return id(container) in self._reached

    @property
    def sharing(self) -> bool:
        """Whether anything is shared."""
        return bool(self._by_object)

    def shared(self, container: object) -> bool:
        """Whether a container is reached from two places."""
        return id(container) in self._by_object

    def freeze(self, value: object) -> int:
        """The id of a value, with references in place of shared containers."""
        return freeze(value, self._interner, self._reference)

    def freeze_content(self, container: object) -> int:
        """The id of what a shared container holds."""
        inside = False

        def reference(inner: object) -> int | None:
            # The container itself is asked about first; met again inside, it is a reference like any other.
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
    """R24 if containers that are shared are nested too deeply: each alone may be shallow."""
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
