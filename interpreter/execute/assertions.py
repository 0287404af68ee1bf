"""Assertions: rules without writes whose result is a bool (language page, 10.1)."""

from __future__ import annotations

from collections.abc import Set

from fizz import Span
from interpreter.compile.program import AssertionProgram, Sequence
from interpreter.execute.execution import Execution
from interpreter.execute.observer import Undecided
from interpreter.state.step import Abort, ModelError, Outcome
from interpreter.values import truth


def evaluate_assertion(assertion: AssertionProgram, execution: Execution, met: Set[Span]) -> Outcome:
    """The verdict of an assertion whose frame is ready; a path without a value, or an aborted one, is R13.

    If a loop is run for one iteration that does not return, the verdict is open (None). `met` collects the spans of
    conditional parts that were evaluated, which the lines of the outcome include.
    """
    try:
        execution.run()
    except Undecided:
        return _outcome(execution, met, None)
    except Abort as abort:
        # An assertion must return a value, unlike a step: a false `require` in a func it calls, an exhausted domain.
        text = f"assertion '{assertion.name}' returned no value: {abort.reason}"
        raise ModelError("R13", text, abort.span or execution.here()) from None
    if not execution.returned:
        raise ModelError("R13", f"assertion '{assertion.name}' returned no value", _last_span(assertion, execution))
    return _outcome(execution, met, truth(execution.result))


def _outcome(execution: Execution, met: Set[Span], verdict: bool | None) -> Outcome:
    lines = (*execution.lines, *sorted(met))
    return Outcome((), None, (), (), (), False, (), (), (), lines, verdict)


def _last_span(assertion: AssertionProgram, execution: Execution) -> Span:
    """The last statement of the body that was run: of a loop, whose turns may be asked for apart, all of it."""
    body = execution.root.body
    own = {one.span for one in body.instructions} if isinstance(body, Sequence) else set()
    return next((span for span in reversed(execution.lines) if span in own), assertion.span)
