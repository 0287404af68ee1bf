"""Reads saved reports (`--json`) and guided traces.

They are read without their model, so that they can be shown at once; `opening_files` then replays the steps.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any

from checker.core.given import Given
from checker.core.problems import UsageProblem
from checker.core.report import PropertyReport
from checker.core.trace import Change, Held, NearStep, Stuck, Trace, TraceEntry, Unmatched, WaitingPair, Why
from checker.storage.user_paths import read_user_file
from checker.traces.guide import Guide, Link, parse_guide
from checker.tui.opened.property_row import PropertyRow
from checker.tui.opened.report_schema import REPORT, SchemaError, demand, demand_cycle
from checker.tui.opened.step_record import violation_sentence, with_states

_SAVE = "`fizzpy check MODEL --json > FILE` saves a report"
_LONGEST_SOURCE = 1024 * 1024
_CYCLE, _STUTTER = "# --- cycle ---", "# --- stutter ---"


def is_report(path: str) -> bool:
    """Is the file a report, and not a guided trace? Raises `UsageProblem` if it can not be read."""
    return path.endswith(".json") or _text(path).lstrip().startswith("{")


# --- guided traces -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SavedGuide:
    """A guided trace with its model, constants and options. `cycle_start`: the first entry of a cycle."""

    path: str
    model: str
    given: Given
    guide: Guide
    cycle_start: int | None
    stutter: bool

    def sources(self) -> dict[str, str]:
        """The text of the model, if it exists; without included files."""
        text = _source(self.model)
        return {} if text is None else {self.model: text}

    def trace(self) -> Trace:
        """The names of the steps: nothing more is known without the model."""
        entries = [_named("Init", self.guide.init), *(_named(link.head.text, link) for link in self.guide.links)]
        return Trace(tuple(entries), self.cycle_start, self.stutter)


def saved_guide(path: str, given: Given, model: str | None = None) -> SavedGuide:
    """Read a guided trace. Raises `UsageProblem`.

    `model`: None for the one in the command at the head of the file.
    """
    text = _text(path)
    if model is None:
        model, given = _command(path, text, given)
    before, found, _ = text.partition(_CYCLE)
    cycle = len(parse_guide(before, path).links) + 1 if found else None
    return SavedGuide(path, model, given, parse_guide(text, path), cycle, _STUTTER in text)


def _named(name: str, link: Link) -> TraceEntry:
    """An entry with what a step's name says."""
    bare = name.partition("[")[0].removesuffix(" crash")
    crash = link.crash is not None or name.endswith(" crash") or name.startswith("crash-role ")
    choices = tuple(line.text for line in link.choices)
    label = f"{name}[{', '.join(choices)}]" if choices else name
    label = label if link.crash is None else f"{label} crash"
    if name == "Init":
        return TraceEntry(label, "init", "Init", None, None, choices, False, ())
    if bare.startswith("thread-"):
        return TraceEntry(label, "continue", None, None, None, choices, crash, ())
    if bare.startswith("crash-role "):
        return TraceEntry(label, "crash-role", bare.removeprefix("crash-role "), None, None, (), True, ())
    return TraceEntry(label, "start", bare, None, None, choices, crash, ())


def _command(path: str, text: str, given: Given) -> tuple[str, Given]:
    """The model of a guided trace, with its constants and options: the command at its head names them."""
    for line in text.split("\n"):
        if line.startswith("# fizzpy trace "):
            try:
                _, _, model, *rest = shlex.split(line[1:])
            except ValueError:
                break
            pairs = list(zip(rest[::2], rest[1::2], strict=False))
            return _beside(path, model), given.over(Given(_values(pairs, "--set"), _values(pairs, "--option")))
    raise UsageProblem(f"'{path}' does not name its model", f"name it: `fizzpy show MODEL --follow {path}`")


def _values(pairs: Sequence[tuple[str, str]], option: str) -> dict[str, str]:
    found = [text.partition("=") for name, text in pairs if name == option]
    return {name: value for name, _, value in found}


# --- reports -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Written:
    """A counterexample as a report has it."""

    sentence: str
    name: str | None
    trace: Trace


@dataclass(frozen=True, slots=True)
class SavedReport:
    """A report with at least one counterexample, the leading one first. `named`: the model as the report names it."""

    path: str
    model: str
    named: str
    given: Given
    properties: tuple[PropertyRow, ...]
    written: tuple[Written, ...]

    def sources(self) -> dict[str, str]:
        """The texts of the files that its steps name, if they exist; the model at its present path."""
        names = [entry.file for one in self.written for entry in one.trace.entries if entry.file is not None]
        paths = {name: self.model if name == self.named else name for name in dict.fromkeys([self.named, *names])}
        return {name: text for name, path in paths.items() if (text := _source(path)) is not None}


def saved_report(path: str, given: Given, model: str | None = None) -> SavedReport:
    """Read a report that was saved as JSON. Raises `UsageProblem`.

    `model`: None for the one that the report names.
    """
    fields = report_fields(path)
    written = tuple(_written(fields))
    named = fields["model"]
    if not written:
        verdict = fields.get("verdict") or "unknown"
        hint = f"walk through the model by hand: fizzpy show {shlex.quote(named)}"
        raise UsageProblem(f"'{path}' has no counterexample, its verdict is '{verdict}'", hint)
    properties = tuple(PropertyRow(one["name"], one["kind"]) for one in fields["properties"])
    # Older reports do not name them.
    own = Given(fields.get("constants") or {}, fields.get("options") or {})
    return SavedReport(path, model or _beside(path, named), named, given.over(own), properties, written)


def report_fields(path: str) -> Mapping[str, Any]:
    """The report, checked against `REPORT`. Raises `UsageProblem`."""
    try:
        fields = json.loads(_text(path), object_pairs_hook=_object, parse_constant=_no_number)
        if not isinstance(fields, dict) or not {"trace", "model", "properties"} <= fields.keys():
            raise UsageProblem(f"'{path}' is no report of fizzpy: it lacks 'model', 'properties' or 'trace'", _SAVE)
        demand(fields, REPORT)
        for number, one in enumerate([fields, *fields["properties"]]):
            demand_cycle(one, f"properties[{number - 1}]." if number else "")
    except RecursionError:
        raise UsageProblem(f"'{path}' is damaged, or no report: nested too deeply", _SAVE) from None
    except (ValueError, SchemaError) as problem:
        raise UsageProblem(f"'{path}' is damaged, or no report: {problem}", _SAVE) from None
    return fields


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the field '{twice}' is given twice")
    return found


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number")


def _written(fields: Mapping[str, Any]) -> Iterator[Written]:
    leading = fields.get("trace")
    broken = [one for one in fields["properties"] if one["verdict"] == "violated"]
    if fields.get("error") is not None and leading is not None:
        yield _counterexample(f"the model fails: {fields['error']['text']}", None, fields, fails=True)
    with_trace = [one for one in broken if one.get("trace") is not None]
    for one in sorted(with_trace, key=lambda one: one["trace"] != leading):
        yield _counterexample(_violation(one), one["name"], one)
    if not with_trace and leading is not None and fields.get("error") is None:
        # A guided trace has no counterexample for each property.
        sentence = "; ".join(map(_violation, broken)) or "no property is violated"
        yield _counterexample(sentence, None, fields)


def _violation(one: Mapping[str, Any]) -> str:
    return violation_sentence(PropertyReport(one["name"], one["kind"], "violated", one.get("steps")))


def _counterexample(sentence: str, name: str | None, fields: Mapping[str, Any], fails: bool = False) -> Written:
    entries = fields["trace"]
    # If an assertion fails in the last step, the step itself has changes.
    failing = len(entries) - 1 if fails and entries and not entries[-1]["changes"] else None
    found = with_states(_entry(one, number == failing) for number, one in enumerate(entries))
    fairness = tuple(fields.get("fairness") or ())
    waits = fields.get("waiting")
    waiting = None if waits is None else WaitingPair(waits["step"], waits["pair"])
    stutter, left = fields.get("stutter") or False, fields.get("unmatched")
    unmatched = None if left is None else _unmatched(left)
    trace = Trace(
        tuple(found),
        fields.get("cycle_start"),
        stutter,
        fairness,
        why=_why(fields.get("why")),
        stuck=_stuck(fields.get("stuck")),
        waiting=waiting,
        unmatched=unmatched,
    )
    return Written(sentence, name, trace)


def _why(fields: Mapping[str, Any] | None) -> Why | None:
    return None if fields is None else Why(fields["step"], fields["file"], fields["line"], _facts(fields))


def _stuck(fields: Mapping[str, Any] | None) -> Stuck | None:
    if fields is None:
        return None
    held = (Held(one["name"], one["file"], one["line"], one["text"], _facts(one)) for one in fields.get("held") or ())
    return Stuck(tuple(map(tuple, fields["blocked"])), tuple(fields["limited"]), tuple(held))


def _facts(fields: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((text, value) for text, value in fields["facts"])


def _unmatched(fields: Mapping[str, Any]) -> Unmatched:
    near = tuple(NearStep(one["label"], tuple(map(tuple, one["differences"]))) for one in fields["near"])
    return Unmatched(fields["model"], fields["step"], tuple(map(tuple, fields["viewed"])), near)


def _entry(entry: Mapping[str, Any], fails: bool) -> TraceEntry:
    kind = entry.get("kind")
    return TraceEntry(
        label=entry["label"],
        kind=kind if kind in ("init", "continue", "deliver", "crash-role") else "start",
        actor=entry.get("actor"),
        file=entry.get("file"),
        line=entry.get("line"),
        choices=tuple(entry.get("choices") or ()),
        crash=entry.get("crash") or False,
        changes=tuple(Change(place, old, new) for place, old, new in entry["changes"]),
        fails=fails,
    )


# --- texts ---------------------------------------------------------------------------------------------------------


def _beside(path: str, model: str) -> str:
    """The path of a file's model: as it is named there, or beside the file."""
    near = os.path.join(os.path.dirname(path), os.path.basename(model))  # noqa: PTH118, PTH119, PTH120 - as below
    return near if not _is_file(model) and _is_file(near) else model


def _is_file(path: str) -> bool:
    # pathlib raises where a name is too long.
    return os.path.isfile(path)  # noqa: PTH113


def _source(path: str) -> str | None:
    if not _is_file(path):
        return None
    try:
        with File(path).open("rb") as file:
            return file.read(_LONGEST_SOURCE).decode("utf-8", errors="replace")
    except OSError:
        return None


def _text(path: str) -> str:
    """The text of a file. Raises `UsageProblem`."""
    return read_user_file(path, "a report or a guided trace")
