"""Assertions: rules that write nothing and answer yes or no (language page, 10.1)."""

from __future__ import annotations

from collections.abc import Set

from fizz import Span
from interpreter.compile.program import AssertionProgram
from interpreter.execute.execution import Execution
from interpreter.execute.observer import Undecided
from interpreter.state.step import Abort, ModelError, Outcome
from interpreter.values import truth


def evaluate_assertion(assertion: AssertionProgram, execution: Execution, met: Set[Span]) -> Outcome:
    """The verdict of an assertion whose frame is ready; a path without a value, or given up, is R13.

    Where loops are asked turn by turn, a turn that does not return leaves the verdict open (None). `met` is where the
    parts of expressions are found that were evaluated; with the statements they are the lines of the outcome.
    """
    try:
        execution.run()
    except Undecided:
        return _outcome(execution, met, None)
    except Abort as abort:
        # Steps are given up; an assertion must answer: a false `require` in a func it calls, an exhausted domain.
        text = f"assertion '{assertion.name}' returned no value: {abort.reason}"
        raise ModelError("R13", text, abort.span or execution.here()) from None
    if not execution.returned:
        raise ModelError("R13", f"assertion '{assertion.name}' returned no value", _place(assertion, execution))
    return _outcome(execution, met, truth(execution.result))


def _outcome(execution: Execution, met: Set[Span], verdict: bool | None) -> Outcome:
    lines = (*execution.lines, *sorted(met))
    return Outcome((), None, (), (), (), False, (), (), (), lines, verdict)


def _place(assertion: AssertionProgram, execution: Execution) -> Span:
    return execution.lines[-1] if execution.lines else assertion.span
