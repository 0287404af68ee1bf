"""`exists assertion`: true in some reachable state."""

from __future__ import annotations

from checker.core.exploration import Finding
from checker.core.property import AssertionProperty, Evidence, Looks, Phase, Predicate, Watch


class Exists(AssertionProperty):
    kind = "exists"
    phase = Phase.EXISTS

    @property
    def watches(self) -> tuple[Watch, ...]:
        return (Watch(self.key, Looks.STATES, Predicate(self.assertion, some=True), seeks=True),)

    def conclude(self, evidence: Evidence) -> Finding | None:
        # A witness means that it holds; a violation has no path.
        if self.met(evidence) or evidence.bounded:
            return None
        return Finding(self.key, ())

    def met(self, evidence: Evidence) -> bool:
        return evidence.witness(self.key) is not None

    @property
    def needs_whole_space(self) -> bool:
        return True
