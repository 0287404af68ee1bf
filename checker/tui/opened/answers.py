"""Questions about a path that need a machine: truth values of properties, and what else could have happened."""

from __future__ import annotations

from dataclasses import replace

from checker.core.trace import Trace
from checker.traces.guards import stuck
from checker.tui.opened.alternatives import AlternativeFinder, Enabled
from checker.tui.opened.opened_paths import Path
from checker.tui.opened.property_row import TruthMark
from checker.tui.opened.retrace import begun, extended
from checker.tui.opened.truths import Truths
from interpreter import Machine


class Answers:
    """Answers questions about the paths of one machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.truths = Truths(machine)
        self.finder = AlternativeFinder(machine)

    def path(self, path: Path, index: int, one: Enabled) -> Path:
        """A path up to an entry and one step more; if the step is one of Init, the path that begins with it."""
        if one.possible.begins:
            return begun(self.machine, one.possible)
        return extended(self.machine, path, index, one.possible)

    def explained(self, path: Path, name: str | None) -> Trace | None:
        """The trace with why it violates a property, or without a name why its end does; None if nothing is violated.

        Of a lasso the states of the cycle are asked, the last one first, as a check does.
        """
        last = len(path.states) - 1
        begin = path.trace.cycle_start if name is not None and path.trace.cycle_start is not None else last
        for prop in self.truths.properties:
            if name is not None and prop.name != name:
                continue
            for index in range(last, begin - 1, -1):
                truth = self.truths.truth(prop, path, index)
                if truth is not TruthMark.FALSE or (name is None and not prop.breaks(truth)):
                    continue
                if prop.of_dead_ends:
                    return replace(path.trace, stuck=stuck(self.machine, path.states[index]))
                return replace(path.trace, why=self.truths.why(prop, path, index))
        return path.trace if path.trace.fairness else None
