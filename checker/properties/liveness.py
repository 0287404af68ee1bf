"""The base of liveness kinds: they state a demand on the graph, and a search answers it."""

from __future__ import annotations

from abc import abstractmethod
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
    def strictly(self) -> NoLasso:
        """The demand on fair runs."""

    @abstractmethod
    def eventually(self) -> AlwaysReachable:
        """The demand if every fair step is taken eventually by chance (language page, 10.5)."""

    def checked(self, options: Options) -> bool:
        return options.liveness != "off"

    def demand(self, options: Options) -> Demand:
        match options.liveness:
            case "nondeterministic":
                return self.eventually()
            case "probabilistic":
                return replace(self.eventually(), by_any=True)
            case "strict" | "off":
                return self.strictly()
            case _:
                assert_never(options.liveness)

    def conclude(self, evidence: Evidence) -> Finding | None:
        demand = self.demand(evidence.options)
        match demand:
            case NoLasso():
                run = evidence.search().lasso(demand)
                if run is None:
                    return None
                path = evidence.path(run.begin)
                return Finding(self.key, path, run.cycle, run.stutter, fairness=run.why, stem=run.stem)
            case AlwaysReachable():
                lost = evidence.search().lost(demand)
                if lost is None:
                    return None
                because = (
                    self.lost_because if not demand.by_any else self.lost_because.replace("no fair steps", "no steps")
                )
                return Finding(self.key, evidence.path(lost.begin), fairness=(because,), stem=lost.stem)
            case _:
                assert_never(demand)
