"""Edges for liveness in columns, in the tasks of a level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from checker.search.checkpoints.key_columns import Keys, keys_of
from checker.search.columns.code_tables import Ints, Mask, Words
from checker.search.columns.column_frontier import Frontier
from checker.search.columns.edges import LevelEdges, same_steps
from checker.search.spark.edge_file import GraphShape


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
