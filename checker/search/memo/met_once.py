"""`MetOnce`: rules that were evaluated once, where there are so many that to remember each costs more than it saves."""

from __future__ import annotations

from interpreter.state.step import Rule


class MetOnce:
    """At most `most` rules that were met once; then all of them are forgotten."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._rules: set[Rule] = set()

    def is_new(self, rule: Rule) -> bool:
        """Whether a rule is met for the first time, as far as is known; it is not the next time."""
        if rule in self._rules:
            self._rules.remove(rule)
            return False
        if len(self._rules) >= self._most:
            self._rules.clear()
        self._rules.add(rule)
        return True
