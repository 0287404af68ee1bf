"""`Tally`: what remembering did, in one process or in several that share a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import NamedTuple

from checker.core.effort import NEW_AT
from checker.search.memo.trie import Counters


class Tally(NamedTuple):
    """What remembering did: runs of functions that recorded paths, rules run directly, read trees, rules that are not
    remembered. `new`: by the location of a rule of which much was new, how often it was, of so many evaluations."""

    total: Counters
    recorded: int
    directly: int
    trees: int
    forgotten: int
    new: Mapping[str, tuple[int, int]]

    def stats(self) -> dict[str, object]:
        """The effect of remembering, for `--stats`."""
        total = self.total
        walks = total.walks + total.misses
        return {
            "rule evaluations": total.evaluations,
            "looked up in tables": total.lookups,
            "hit rate of tables": _rate(total.lookups - total.misses, total.lookups),
            "walked through trees": walks,
            "hit rate of trees": _rate(walks - total.calls, walks),
            "interpreter calls": total.calls,
            "recorded by functions": self.recorded,
            "run directly": self.directly,
            "hit rate": _rate(total.hits, total.evaluations),
            "read trees": self.trees,
            "tree nodes": total.nodes,
            "rules not remembered": self.forgotten,
            **{f"{NEW_AT}{location}": f"{new:,} of {asked:,}" for location, (new, asked) in self.new.items()},
        }

    def together(self, others: Sequence[Tally]) -> Tally:
        """Of several processes that have begun with this: what was done in all of them."""
        counted = Counters()
        counted.add(self.total)
        for other in others:
            for one in fields(Counters):
                more = getattr(other.total, one.name) - getattr(self.total, one.name)
                setattr(counted, one.name, getattr(counted, one.name) + more)
        recorded = self.recorded + sum(other.recorded - self.recorded for other in others)
        directly = self.directly + sum(other.directly - self.directly for other in others)
        trees = max(self.trees, *[other.trees for other in others])
        forgotten = max(self.forgotten, *[other.forgotten for other in others])
        return Tally(counted, recorded, directly, trees, forgotten, self._new_together(others))

    def _new_together(self, others: Sequence[Tally]) -> dict[str, tuple[int, int]]:
        found: dict[str, tuple[int, int]] = {}
        for location in dict.fromkeys(one for other in others for one in other.new):
            begun = self.new.get(location, (0, 0))
            known = [other.new.get(location, begun) for other in others]
            new, asked = (begun[i] + sum(one[i] - begun[i] for one in known) for i in (0, 1))
            found[location] = (new, asked)
        return found


def _rate(hits: int, asked: int) -> float:
    """The share of questions that had an answer."""
    return round(max(0, hits) / asked, 4) if asked else 0.0
