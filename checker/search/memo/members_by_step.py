"""The members of a container by the steps to them in the slot that it is in, whether it is open or closed."""

from __future__ import annotations

from checker.search.memo.open_containers import ContainerShape, OpenContainer
from interpreter.values import Container, DictValue, ListValue, RecordValue


def each(container: Container, shape: ContainerShape) -> list[object]:
    """The members of a closed container that has this shape, in its order."""
    if isinstance(container, ListValue):
        return container.items
    if isinstance(container, DictValue):
        return [container.entries[token][1] for token in shape.tokens]
    assert isinstance(container, RecordValue)
    return [container.fields[str(name)] for name in shape.keys]


def by_step(container: Container, shape: ContainerShape) -> list[tuple[str, object]] | None:
    """The members that were read or replaced, with the steps to them; None if the shape has changed."""
    if isinstance(container, OpenContainer):
        return list(container.pending.met())
    if isinstance(container, DictValue):
        return _by_key(container, shape)
    if isinstance(container, ListValue):
        same = len(container.items) == len(shape.steps)
    else:
        assert isinstance(container, RecordValue)
        same = container.fields.keys() == shape.tokens.keys()
    return list(zip(shape.steps, each(container, shape), strict=True)) if same else None


def _by_key(table: DictValue, shape: ContainerShape) -> list[tuple[str, object]] | None:
    if table.entries.keys() != shape.tokens.keys():
        return None
    found = []
    for token, index in shape.tokens.items():
        key, member = table.entries[token]
        # Equal keys need not be the same: 1 and 1.0.
        if key is not shape.keys[index]:
            return None
        found.append((shape.steps[index], member))
    return found
