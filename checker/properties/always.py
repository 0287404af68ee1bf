"""`always assertion`: true in every reachable state."""

from __future__ import annotations

from checker.core.exploration import Finding
from checker.core.property import AssertionProperty, Evidence, Looks, Phase, Predicate, Watch


class Always(AssertionProperty):
    kind = "always"
    phase = Phase.SAFETY

    @property
    def watches(self) -> tuple[Watch, ...]:
        return (Watch(self.key, Looks.STATES, Predicate(self.assertion), seeks=False, prunes=True),)

    def conclude(self, evidence: Evidence) -> Finding | None:
        return evidence.witness(self.key)
