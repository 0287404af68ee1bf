"""`CalledRules`: funcs that are called from outside, as functions of Python.

The ways through a call are those of `interpreter.calls`, in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from interpreter.calls import Called, Receiver
from interpreter.compile.program import Routine
from interpreter.direct.nodes import MOST_CHARACTERS, Nodes
from interpreter.direct.rules import DirectRules
from interpreter.machine import Machine
from interpreter.state.state import State
from interpreter.state.step import Aborted, Outcome, Rule, StepKind
from interpreter.values.intern import NONE

_LONGER: Final = 64
"""Texts may be so many times longer than in other rules, and so many times fewer parts may be visited."""


class BoundCall(NamedTuple):
    """A func of a receiver with its arguments, by their positions."""

    rule: Rule
    arguments: tuple[int, ...]


class CalledRules(DirectRules):
    """Runs all ways through calls of funcs, which are short, and may deal with long texts."""

    kinds = frozenset({StepKind.INIT})

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self._most //= _LONGER

    def _new_nodes(self) -> Nodes:
        return Nodes(self.machine.values, MOST_CHARACTERS * _LONGER)

    def bound(self, receiver: Receiver | None, routine: Routine, arguments: Mapping[str, int]) -> BoundCall | None:
        """A call of a func that may be run again and again; None: it is left to the interpreter.

        `arguments`: ids by parameter. So are defaults, and containers that may be changed.
        """
        given = [arguments.get(one.name) for one in routine.parameters]
        ids = tuple([one for one in given if one is not None and not self.machine.values.mutable(one)])
        rule = Rule(StepKind.INIT, routine.number, receiver)
        return BoundCall(rule, ids) if len(ids) == len(given) and self.supports(rule) else None

    def ways(self, state: State, call: BoundCall) -> Sequence[Called | Aborted] | None:
        """All ways through a call, in the order of its choices; None: ask the interpreter."""
        results = self.results(call.rule, state, arguments=call.arguments)
        if results is None:
            return None
        found: list[Called | Aborted] = []
        for result in results:
            if isinstance(result, Aborted):
                found.append(result)
            elif isinstance(result, Outcome):
                target = self.machine.apply(state, call.rule, result)
                if target is not None:
                    found.append(Called(target, result.returns[0][1] if result.returns else NONE, result))
        return found
