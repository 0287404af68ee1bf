"""`transition assertion`: true for every step but crashes."""

from __future__ import annotations

from checker.exit_code import ExitCode
from checker.exploration import Finding
from checker.properties.base import Evidence, Looks, Phase, Property, Watch
from fizz import Options


class Transition(Property):
    kind = "transition"
    phase = Phase.SAFETY
    exit_code = ExitCode.SAFETY

    def watch(self, options: Options) -> Watch:
        return Watch(self.key, Looks.STEPS, self.assertion, seeks=False)

    def conclude(self, evidence: Evidence) -> Finding | None:
        return evidence.witness(self.key)
