"""What only a machine can tell of a path: which properties are true on it, and what else could have happened."""

from __future__ import annotations

from checker.tui.opened.alternatives import AlternativeFinder, Enabled
from checker.tui.opened.paths import Path
from checker.tui.opened.retrace import begun, extended
from checker.tui.opened.truths import Truths
from interpreter import Machine


class Answers:
    """Answers questions about paths of one machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.truths = Truths(machine)
        self.finder = AlternativeFinder(machine)

    def path(self, path: Path, index: int, one: Enabled) -> Path:
        """A path up to an entry, and a step more; or, if that is a way through Init, the path that begins with it."""
        if one.possible.begins:
            return begun(self.machine, one.possible)
        return extended(self.machine, path, index, one.possible)
