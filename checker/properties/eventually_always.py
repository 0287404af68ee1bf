"""`eventually always assertion`: from some moment on true for ever."""

from __future__ import annotations

from checker.properties.liveness import Liveness


class EventuallyAlways(Liveness):
    kind = "eventually always"
    settles = True
    lost_because = (
        "no fair steps lead from here to a state after which the assertion is true whenever no thread is under way"
    )
