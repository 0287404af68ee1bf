"""Questions about a path that need a machine: truth values of properties, and what else could have happened."""

from __future__ import annotations

from checker.tui.opened.alternatives import AlternativeFinder, Enabled
from checker.tui.opened.opened_paths import Path
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
