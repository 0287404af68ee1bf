"""Files of edges: what the steps of many states have alike is written once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from checker.liveness.graph import LiveStep
from checker.search.checkpoints.key_columns import Keys, keys_of
from checker.search.columns.code_tables import Ints, Mask, Words
from checker.search.columns.column_frontier import Frontier
from checker.search.columns.edges import LevelEdges, same_steps
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
        """The parts of the file, the same for every attempt: processes number what they have met in another order."""
        written = {step: pack(LiveStep, step) for shape in self._shapes for step in shape.steps}
        shapes = sorted(self._shapes, key=lambda shape: (tuple(map(written.__getitem__, shape.steps)), shape[1:]))
        ranks = np.empty(len(shapes), dtype=np.uint32)
        ranks[[self._shapes[shape] for shape in shapes]] = np.arange(len(shapes), dtype=np.uint32)
        numbers = ranks[np.frombuffer(b"".join(self._numbers), dtype=np.uint32)]
        return [pack_shapes(shapes), numbers.tobytes(), b"".join(self._targets)]


class EdgesByKey(LevelEdges):
    """The steps of one task that liveness sees. The numbers of their targets are not known here: they stay keys."""

    def of(self, frontier: Sequence[Frontier], count: int) -> tuple[tuple[GraphShape, ...], Ints, Keys]:
        """The edges from a frontier whose states are numbered up to `count`: shapes, each state's shape, targets."""
        quiet, cut = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
        for part in frontier:
            quiet[part.numbers] = part.packing.codes(part.rows, ("thread", 0)) == 0
            cut[part.numbers] = part.cut
        sources, kinds, hidden, high, low = self._in_order()
        first = np.searchsorted(sources, np.arange(count + 1))
        shape_of, _ = same_steps(kinds, hidden, np.arange(len(kinds)) - first[sources], first)
        _, chosen, numbers = np.unique(shape_of * 4 + quiet * 2 + cut, return_index=True, return_inverse=True)
        shapes = tuple(
            self._shape(
                kinds, hidden, slice(int(first[state]), int(first[state + 1])), bool(quiet[state]), bool(cut[state])
            )
            for state in chosen.tolist()
        )
        return shapes, numbers, keys_of(high[~hidden], low[~hidden])

    def _shape(self, kinds: Ints, hidden: Mask, span: slice, quiet: bool, cut: bool) -> GraphShape:
        steps = tuple(self.kinds[kind] for kind in kinds[span].tolist())
        return GraphShape(steps, int(np.count_nonzero(~hidden[span])), quiet, cut)

    def _in_order(self) -> tuple[Ints, Ints, Mask, Words, Words]:
        """Sources, kinds, which are hidden, and halves of targets' keys: by source, hidden ones last, in step order."""
        nowhere = [np.zeros(len(sources), dtype=np.uint64) for sources, _ in self._hidden]
        parts = [(s, k, np.zeros(len(s), dtype=np.bool_), high, low) for s, k, high, low in self._taken]
        parts += [
            (s, k, np.ones(len(s), dtype=np.bool_), n, n) for (s, k), n in zip(self._hidden, nowhere, strict=True)
        ]
        nothing, no_words = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint64)
        parts.append((nothing, nothing, np.zeros(0, dtype=np.bool_), no_words, no_words))
        sources, kinds, hidden, high, low = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = self.in_step_order(sources, kinds, hidden)
        return sources[order], kinds[order], hidden[order], high[order], low[order]
