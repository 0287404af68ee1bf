"""`always eventually assertion`: true again and again."""

from __future__ import annotations

from checker.properties.liveness import Liveness


class AlwaysEventually(Liveness):
    kind = "always eventually"
    settles = False
    lost_because = "no fair steps lead from here to a state in which the assertion is true and no thread is under way"
