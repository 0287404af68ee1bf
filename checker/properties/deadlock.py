"""Deadlock: a state that is not cut and has no step."""

from __future__ import annotations

from checker.core.exploration import Finding
from checker.core.property import Evidence, Looks, Phase, Property, Watch
from checker.core.report import DEADLOCK


class Deadlock(Property):
    kind = DEADLOCK
    phase = Phase.DEADLOCK

    @property
    def key(self) -> str:
        # No assertion can have this name; one may have the name `deadlock`.
        return "(deadlock)"

    @property
    def watches(self) -> tuple[Watch, ...]:
        return (Watch(self.key, Looks.DEAD_ENDS),)

    def conclude(self, evidence: Evidence) -> Finding | None:
        return evidence.witness(self.key)
