"""The spans of a saved driver, in the files of the model as they are named now: it may have been moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from checker.core.exploration import Finding
from checker.core.level import Level, Witness
from checker.search.driver import DriverState
from fizz import Span
from interpreter.state.step import ModelError

Found = TypeVar("Found", Witness, Finding)
Names = Mapping[str, str]
"""The name that each file has now."""


def moved(state: DriverState, files: tuple[str, ...]) -> DriverState:
    """The state of a driver of the same model, whose files are named `files` now."""
    if state.files == files:
        return state
    names = dict(zip(state.files, files, strict=True))
    return replace(
        state,
        total=_level(state.total, names),
        last=_level(state.last, names),
        witnesses={key: _located(finding, names) for key, finding in state.witnesses.items()},
        error=None if state.error is None else _located(state.error, names),
        files=files,
    )


def _level(level: Level, names: Names) -> Level:
    return replace(
        level,
        aborted=Counter({(routine, _span(span, names)): n for (routine, span), n in level.aborted.items()}),
        noted={_span(note, names) if isinstance(note, Span) else note for note in level.noted},
        witnesses={key: _located(witness, names) for key, witness in level.witnesses.items()},
        error=None if level.error is None else _located(level.error, names),
    )


def _located(found: Found, names: Names) -> Found:
    error = found.error
    if error is None or error.span is None:
        return found
    data = (error.code, error.text, _span(error.span, names), error.hint, error.calls)
    return replace(found, error=ModelError.from_data(data))


def _span(span: Span, names: Names) -> Span:
    return span._replace(file=names.get(span.file, span.file))
