"""`exists assertion`: true in some reachable state."""

from __future__ import annotations

from checker.exit_code import ExitCode
from checker.exploration import Finding
from checker.properties.base import Evidence, Looks, Phase, Property, Watch
from fizz import Options


class Exists(Property):
    kind = "exists"
    phase = Phase.EXISTS
    exit_code = ExitCode.SAFETY

    def watch(self, options: Options) -> Watch:
        return Watch(self.key, Looks.STATES, self.assertion, seeks=True)

    def conclude(self, evidence: Evidence) -> Finding | None:
        # Its witness is good news; there is no path to a state that does not exist.
        if self.met(evidence) or evidence.bounded:
            return None
        return Finding(self.key, ())

    def met(self, evidence: Evidence) -> bool:
        return evidence.witness(self.key) is not None

    @property
    def needs_whole_space(self) -> bool:
        return True
