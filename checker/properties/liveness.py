"""The base of liveness kinds: they state a demand on the graph, and a search answers it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar, assert_never

from checker.core.demand import AlwaysReachable, Demand, NoLasso, Recorded
from checker.core.exploration import Finding
from checker.core.property import AssertionProperty, Evidence, Looks, Phase, Predicate, Watch
from fizz import Options


class Liveness(AssertionProperty):
    """A kind defines its demand with `liveness: strict`, and that with `liveness: nondeterministic`.

    Demands use the states in which its assertion is true, `self.true`. A kind that needs the answers of another
    assertion adds a watch that records them.
    """

    phase = Phase.LIVENESS
    lost_because: ClassVar[str]
    """Why a state violates it with `liveness: nondeterministic`."""

    @property
    def watches(self) -> tuple[Watch, ...]:
        return (Watch(self.key, Looks.STATES, Predicate(self.assertion), records=True),)

    @property
    def true(self) -> Recorded:
        """The states in which the assertion is true."""
        return Recorded(self.key)

    @abstractmethod
    def strictly(self) -> tuple[NoLasso, ...]:
        """The demands on fair runs."""

    @abstractmethod
    def eventually(self) -> tuple[AlwaysReachable, ...]:
        """The demands if every fair step is taken eventually by chance (language page, 10.5)."""

    def checked(self, options: Options) -> bool:
        return options.liveness != "off"

    def demands(self, options: Options) -> tuple[Demand, ...]:
        match options.liveness:
            case "nondeterministic":
                return self.eventually()
            case "probabilistic":
                return tuple(replace(demand, by_any=True) for demand in self.eventually())
            case "strict" | "off":
                return self.strictly()
            case _:
                assert_never(options.liveness)

    def conclude(self, evidence: Evidence) -> Finding | None:
        found = (self._violation(demand, evidence) for demand in self.demands(evidence.options))
        return _least(one for one in found if one is not None)

    def _violation(self, demand: Demand, evidence: Evidence) -> Finding | None:
        match demand:
            case NoLasso():
                run = evidence.search().lasso(demand)
                if run is None:
                    return None
                path = evidence.path(run.begin)
                waiting = None if demand.stem is None else demand.stem.name
                return Finding(self.key, path, run.cycle, run.stutter, fairness=run.why, stem=run.stem, waiting=waiting)
            case AlwaysReachable():
                lost = evidence.search().lost(demand)
                if lost is None:
                    return None
                because = (
                    self.lost_because if not demand.by_any else self.lost_because.replace("no fair steps", "no steps")
                )
                waiting = None if demand.after is None else demand.after.name
                path = evidence.path(lost.begin)
                return Finding(self.key, path, fairness=(because,), stem=lost.stem, waiting=waiting)
            case _:
                assert_never(demand)


def _least(found: Iterable[Finding]) -> Finding | None:
    """The violation of a property that is reported (language page, 10.8 and 12.4).

    That with the fewest steps to the head of its cycle, then the fewest crash steps among them, then the least keys of
    the head and of the state where the stem begins.
    """

    def cost(finding: Finding) -> tuple[int, int, int, int]:
        links = (*finding.path, *finding.stem)
        head, begin = links[-1].key, finding.path[-1].key
        assert head is not None and begin is not None
        return len(links), sum(link.order.crashes for link in links), head, begin

    return min(found, key=cost, default=None)
