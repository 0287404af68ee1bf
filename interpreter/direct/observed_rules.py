"""`ObservedRules`: the steps of a rule whose choices were observed, by a function of Python, with the lines of each.

Other alternatives than those that were observed are never followed. What cannot be done so is left to
`interpreter.observed_steps`, which gives the same steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from fizz import Span
from interpreter.direct.nodes import GiveUp, ValueNode
from interpreter.direct.rules import DirectRules
from interpreter.execute.execution import Admits
from interpreter.machine import Machine
from interpreter.state.state import State
from interpreter.state.step import Result, Rule


class _NoWay(tuple[Any, ...]):
    """No alternative is admitted, of some that there are: the path ends, and is no step."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return True


_NO_WAY: Final = _NoWay()


class ObservedRules(DirectRules):
    """Runs the paths of a rule whose choices are admitted. The outcomes have the lines of their paths, each once."""

    by_ways = True

    def __init__(self, machine: Machine) -> None:
        self._admits: Admits | None = None
        self._lines: dict[tuple[int, ...], tuple[Span, ...]] = {}
        super().__init__(machine)

    def admitted(self, rule: Rule, state: State, admits: Admits | None) -> Sequence[Result] | None:
        """The results of the paths of a rule whose choices are admitted; None: ask the interpreter.

        Alternatives are numbered among those that are admitted. A choice of which none is admitted may have no result.
        """
        self._admits = admits
        try:
            return self.results(rule, state, noted=False)
        finally:
            self._admits = None

    def _names(self) -> dict[str, Any]:
        names = super()._names()
        number, noted, marked = self.nodes.number, self.shared.noted, self._marked
        alternatives, members_taken, plainly = names["alternatives"], names["members_taken"], names["finish"]
        at = self.operations.at

        def observed(value: Any, prefix: str, apart: bool) -> tuple[Sequence[Any], Sequence[str]]:
            admits = self._admits
            if admits is None:
                found: tuple[Sequence[Any], Sequence[str]] = alternatives(value, prefix, apart)
                return found
            if type(value) is ValueNode:
                if not value.sized:
                    raise GiveUp
                items = self.operations.each(value, 8)
            elif type(value) is range or type(value) is list:
                items = self.operations.turns(value, 8)
            else:
                raise GiveUp
            some = [item for item in items if admits(prefix, number(item))]
            return alternatives(some, prefix, apart) if some else (_NO_WAY if items else (), ())

        def members_observed(places: Sequence[int], value: Any, prefix: str) -> tuple[Sequence[int], Sequence[str]]:
            admits = self._admits
            some = places if admits is None else [one for one in places if admits(prefix, number(at(value, one)))]
            if some or not places:
                found: tuple[Sequence[int], Sequence[str]] = members_taken(some, value, prefix)
                return found
            return _NO_WAY, ()

        def forget(since: int) -> None:
            for index in marked[since:]:
                noted[index] = False
            del marked[since:]

        def each_way(items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
            since = len(marked)
            for way in enumerate(items):
                yield way
                forget(since)

        def numbers_taken(size: int) -> Iterator[int]:
            since = len(marked)
            for index in range(size):
                yield index
                forget(since)

        def finish(*given: Any, **named: Any) -> None:
            plainly(*given, **named, lines=self._lines_of(tuple(marked)))

        return {
            **names,
            "alternatives": observed,
            "members_taken": members_observed,
            "each_way": each_way,
            "numbers_taken": numbers_taken,
            "finish": finish,
        }

    def _lines_of(self, marked: tuple[int, ...]) -> tuple[Span, ...]:
        """The statements that these marks stand for; one object for the same marks."""
        known = self._lines.get(marked)
        if known is None:
            spans = dict.fromkeys(span for index in marked for span in self.shared.marks[index])
            known = self._lines[marked] = tuple(spans)
        return known
