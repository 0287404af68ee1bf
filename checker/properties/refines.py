"""`refines "abstract.fizz" with view`: every run is one of the abstract model, seen through the view (10.9)."""

from __future__ import annotations

from dataclasses import dataclass

from checker.core.exploration import Finding
from checker.core.property import Evidence, Phase, Property, Watch


@dataclass(frozen=True)
class Refines(Property):
    """`number`: that of the refinement in the program.

    It has no watches: what it says of runs is searched beside every engine, which finds the witness.
    """

    kind = "refines"
    phase = Phase.SAFETY

    number: int

    @property
    def watches(self) -> tuple[Watch, ...]:
        return ()

    def conclude(self, evidence: Evidence) -> Finding | None:
        return evidence.witness(self.key)

    def phase_of(self, finding: Finding) -> Phase:
        return Phase.LIVENESS if finding.unmatched is None else Phase.SAFETY

    def undecided(self, evidence: Evidence) -> bool:
        return evidence.unexplained(self.key)
