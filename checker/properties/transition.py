"""`transition assertion`: true for every step but crashes."""

from __future__ import annotations

from checker.core.exploration import Finding
from checker.core.property import AssertionProperty, Evidence, Looks, Phase, Predicate, Watch


class Transition(AssertionProperty):
    kind = "transition"
    phase = Phase.SAFETY

    @property
    def watches(self) -> tuple[Watch, ...]:
        return (Watch(self.key, Looks.STEPS, Predicate(self.assertion), seeks=False),)

    def conclude(self, evidence: Evidence) -> Finding | None:
        return evidence.witness(self.key)
