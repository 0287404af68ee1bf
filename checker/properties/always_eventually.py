"""`always eventually assertion`: true again and again."""

from __future__ import annotations

from checker.core.demand import EVERYWHERE, QUIET, AlwaysReachable, NoLasso
from checker.properties.liveness import Liveness


class AlwaysEventually(Liveness):
    kind = "always eventually"
    lost_because = "no fair steps lead from here to a state in which the assertion is true and no thread is under way"

    def strictly(self) -> tuple[NoLasso]:
        return (NoLasso(cycle=~self.true, touches=EVERYWHERE),)

    def eventually(self) -> tuple[AlwaysReachable]:
        return (AlwaysReachable(QUIET & self.true),)
