"""As much of Spark's RDDs as runs use that share no folder: partitions in memory, records pickled on the way."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

Records = list[Any]
Apply = Callable[[Callable[[], Records], int], Records]
"""Makes what a task makes, in the worker of that partition."""


class PretendedContext:
    """A Spark context whose tasks run here. `apply` runs each."""

    def __init__(self, apply: Apply) -> None:
        self.apply = apply
        self.rdds: list[PretendedRDD] = []

    def lose_all(self) -> None:
        """As if all executors were lost: what was computed is computed once more where it is read."""
        for rdd in self.rdds:
            rdd.__dict__.pop("parts", None)

    def parallelize(self, items: Sequence[Any], slices: int) -> PretendedRDD:
        return PretendedRDD(self, lambda: [_sent(items[start::slices]) for start in range(slices)])

    def union(self, rdds: Sequence[PretendedRDD]) -> PretendedRDD:
        """Of RDDs that are partitioned alike."""
        assert len({len(rdd.parts) for rdd in rdds}) == 1
        return PretendedRDD(self, lambda: [list(chain(*parts)) for parts in zip(*[r.parts for r in rdds], strict=True)])

    def runJob(self, rdd: PretendedRDD, make: Callable[[Iterable[Any]], Records], partitions: Sequence[int]) -> Records:
        return [record for partition in partitions for record in _sent(make(iter(rdd.parts[partition])))]


class PretendedRDD:
    """Partitions that are computed when they are asked for."""

    def __init__(self, context: PretendedContext, compute: Callable[[], list[Records]]) -> None:
        self.context = context
        self._compute = compute
        context.rdds.append(self)

    @cached_property
    def parts(self) -> list[Records]:
        return self._compute()

    def mapPartitionsWithIndex(self, make: Callable[[int, Iterable[Any]], Iterable[Any]]) -> PretendedRDD:
        def computed() -> list[Records]:
            return [
                self.context.apply(lambda index=index, part=part: _sent(list(make(index, iter(_sent(part))))), index)
                for index, part in enumerate(self.parts)
            ]

        return PretendedRDD(self.context, computed)

    def partitionBy(self, count: int, owner: Callable[[int], int]) -> PretendedRDD:
        def computed() -> list[Records]:
            parts: list[Records] = [[] for _ in range(count)]
            for part in self.parts:
                for record in _sent(part):
                    parts[owner(record[0]) % count].append(record)
            return parts

        return PretendedRDD(self.context, computed)


def _sent(records: Sequence[Any]) -> Records:
    """As they come out where they are sent to."""
    return list(pickle.loads(pickle.dumps(list(records))))
