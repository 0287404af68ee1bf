"""What the two kinds of liveness assertions share: they look at the graph, and a violation is a fair lasso."""

from __future__ import annotations

from typing import ClassVar

from checker.exit_code import ExitCode
from checker.exploration import Finding
from checker.properties.base import Evidence, Looks, Phase, Property, Watch
from fizz import Options


class Liveness(Property):
    """`settles`: the assertion is to be true for ever from some moment on, and not just again and again."""

    phase = Phase.LIVENESS
    exit_code = ExitCode.LIVENESS
    settles: ClassVar[bool]
    lost_because: ClassVar[str]
    """Why a state is bad with `liveness: nondeterministic`."""

    def watch(self, options: Options) -> Watch | None:
        if options.liveness == "off":
            return None
        return Watch(self.key, Looks.STATES, self.assertion, records=True)

    def conclude(self, evidence: Evidence) -> Finding | None:
        if evidence.options.liveness == "nondeterministic":
            return self._conclude_eventual(evidence)
        # What settles is broken by a cycle that is false somewhere; what comes again by one that is false everywhere.
        found = evidence.search().lasso(self.key, everywhere=self.settles)
        if found is None:
            return None
        return Finding(self.key, evidence.path(found.head), found.cycle, stutter=found.stutter, fairness=found.why)

    def _conclude_eventual(self, evidence: Evidence) -> Finding | None:
        key = evidence.search().lost(self.key, self.settles)
        return None if key is None else Finding(self.key, evidence.path(key), fairness=(self.lost_because,))
