"""Reads what `fizzpy test --json` has saved, to compare later results with. The file is not trusted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from checker.core.problems import UsageProblem
from checker.storage.user_paths import read_user_file

_WHAT = "results that `fizzpy test --json` has printed"


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """What an earlier run of a promise gave: `properties` are verdicts by name, `warnings` are (code, text)."""

    verdict: str | None = None
    states: int | None = None
    depth: int | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    warnings: frozenset[tuple[str, str]] = frozenset()


EarlierRuns = Mapping[tuple[str, str], EarlierRun]
"""By model and by what it was given, as `Promise.given`."""


def read_earlier(path: str) -> EarlierRuns:
    """The runs in a file. Fields of another type than they should have are left out. Raises `UsageProblem`."""
    try:
        fields = json.loads(read_user_file(Path(path), _WHAT))
    except (ValueError, RecursionError):
        raise UsageProblem(f"'{path}' is not valid JSON", f"name {_WHAT}") from None
    if not isinstance(fields, dict) or not isinstance(fields.get("runs"), list):
        raise UsageProblem(f"'{path}' has no list of runs", f"name {_WHAT}")
    return {(_text(run, "model"), _text(run, "given")): _earlier(run) for run in _rows(fields, "runs")}


def _earlier(run: Mapping[str, object]) -> EarlierRun:
    return EarlierRun(
        _text(run, "verdict") or None,
        _number(run, "states"),
        _number(run, "depth"),
        {_text(row, "name"): _text(row, "verdict") for row in _rows(run, "properties")},
        frozenset((_text(row, "code"), _text(row, "text")) for row in _rows(run, "warnings")),
    )


def _text(fields: Mapping[str, object], name: str) -> str:
    found = fields.get(name)
    return found if isinstance(found, str) else ""


def _number(fields: Mapping[str, object], name: str) -> int | None:
    found = fields.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _rows(fields: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    found = fields.get(name)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
