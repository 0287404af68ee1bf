"""Files of edges: what the steps of many states have alike is written once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from checker.liveness.graph import LiveStep
from checker.search.checkpoints.key_columns import Keys
from checker.search.columns.code_tables import Ints
from fizz.base.data import NotData, bundle, deflate, inflate, pack, unbundle, unpack


class GraphShape(NamedTuple):
    """The steps and flags of states in the graph (see `Graph.add_state`): the first `inside` steps have targets."""

    steps: tuple[LiveStep, ...]
    inside: int
    quiet: bool
    cut: bool


class _ShapeRow(NamedTuple):
    """A shape whose steps are indexes into a table: most shapes share many of them."""

    steps: tuple[int, ...]
    inside: int
    quiet: bool
    cut: bool


def pack_shapes(shapes: Iterable[GraphShape]) -> bytes:
    """Shapes in bytes, in their order."""
    table: dict[LiveStep, int] = {}
    rows = [
        _ShapeRow(tuple([table.setdefault(step, len(table)) for step in steps]), inside, quiet, cut)
        for steps, inside, quiet, cut in shapes
    ]
    return deflate(bundle([pack(tuple[LiveStep, ...], table), pack(tuple[_ShapeRow, ...], rows)]))


def unpack_shapes(data: bytes) -> tuple[GraphShape, ...]:
    """What `pack_shapes` wrote. Raises `NotData`."""
    steps, rows = unbundle(inflate(data), 2)
    table: tuple[LiveStep, ...] = unpack(tuple[LiveStep, ...], steps)
    found: list[GraphShape] = []
    for indexes, inside, quiet, cut in unpack(tuple[_ShapeRow, ...], rows):
        if not all(0 <= index < len(table) for index in indexes) or not 0 <= inside <= len(indexes):
            raise NotData("a step that the table does not have")
        found.append(GraphShape(tuple([table[index] for index in indexes]), inside, quiet, cut))
    return tuple(found)


class EdgeFile:
    """The file of the edges of one task (see `edges_file`), which grows slice by slice."""

    def __init__(self) -> None:
        self._shapes: dict[GraphShape, int] = {}
        self._numbers: list[bytes] = []
        self._targets: list[bytes] = []

    def add(self, shapes: Sequence[GraphShape], numbers: Ints, targets: Keys) -> None:
        """The states of one slice, whose keys are greater than those before: the shape of each, targets of all."""
        known = [self._shapes.setdefault(shape, len(self._shapes)) for shape in shapes]
        self._numbers.append(np.array(known, dtype=np.uint32)[numbers].tobytes())
        self._targets.append(targets.tobytes())

    def parts(self) -> list[bytes]:
        return [pack_shapes(self._shapes), b"".join(self._numbers), b"".join(self._targets)]
