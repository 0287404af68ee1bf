"""`eventually always assertion`: true for ever after some state."""

from __future__ import annotations

from checker.core.demand import EVERYWHERE, QUIET, AlwaysReachable, NoLasso
from checker.properties.liveness import Liveness


class EventuallyAlways(Liveness):
    kind = "eventually always"
    lost_because = (
        "no fair steps lead from here to a state after which the assertion is true whenever no thread is under way"
    )

    def strictly(self) -> tuple[NoLasso]:
        return (NoLasso(cycle=EVERYWHERE, touches=~self.true),)

    def eventually(self) -> tuple[AlwaysReachable]:
        return (AlwaysReachable(~QUIET | self.true, for_ever=True),)
