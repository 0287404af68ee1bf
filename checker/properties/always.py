"""`always assertion`: true in every reachable state."""

from __future__ import annotations

from checker.exit_code import ExitCode
from checker.exploration import Finding
from checker.properties.base import Evidence, Looks, Phase, Property, Watch
from fizz import Options


class Always(Property):
    kind = "always"
    phase = Phase.SAFETY
    exit_code = ExitCode.SAFETY

    def watch(self, options: Options) -> Watch:
        return Watch(self.key, Looks.STATES, self.assertion, seeks=False, prunes=True)

    def conclude(self, evidence: Evidence) -> Finding | None:
        return evidence.witness(self.key)
