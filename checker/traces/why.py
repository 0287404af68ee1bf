"""Why an assertion is false in a counterexample: in which state, and which values make it so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from checker.core.property import Looks, Watch
from checker.core.trace import Why
from fizz import Span
from fizz.base.errors import rows_of
from interpreter import Machine, State
from interpreter.explain.assertion import Explanation, explain


def why(machine: Machine, watch: Watch | None, states: Sequence[State], cycle: int) -> Why | None:
    """Why a watched assertion is false on a path through `states`, of which the last `cycle` ones are a cycle.

    None if it is not false: an `exists` that was never met, states that stand for others, a dead end. Nor does it say
    why without a watch.
    """
    if watch is None or watch.predicate is None:
        return None
    of_steps = watch.looks is Looks.STEPS
    for index in _asked(of_steps, len(states), cycle):
        before = states[index - 1] if of_steps else None
        explanation = explain(machine, watch.predicate.assertion, states[index], before)
        if explanation is not None:
            return _why(explanation, index, machine.program.sources)
    return None


def _asked(of_steps: bool, states: int, cycle: int) -> Iterator[int]:
    """The states that may violate an assertion: the last one, or those of the cycle from the end."""
    if of_steps and states < 2:
        return
    yield from range(states - 1, states - 1 - max(cycle, 1), -1)


def _why(explanation: Explanation, index: int, sources: Mapping[str, str]) -> Why:
    facts = dict.fromkeys((source_text(fact.span, sources), fact.value) for fact in explanation.facts)
    return Why(index, explanation.line.file, explanation.line.line, tuple(facts))


def source_text(span: Span, sources: Mapping[str, str]) -> str:
    """The source text of an expression, on one line."""
    rows = list(rows_of(sources.get(span.file, ""))[span.line - 1 : span.end_line])
    if not rows:
        return ""
    rows[-1] = rows[-1][: span.end_column - 1]
    rows[0] = rows[0][span.column - 1 :]
    return " ".join(" ".join(rows).split())
