"""Files that are no models, as they were written down: a report that was saved with `--json`, or a guided trace.

They are read without any model, so that what they tell can be shown at once; `files` then takes the steps again.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any

from checker.given import Given
from checker.problems import UsageProblem
from checker.report import PropertyReport
from checker.show.claim import Claim
from checker.show.told import violation, with_states
from checker.trace import Change, Trace, TraceEntry
from checker.walks.guide import Guide, Link, parse_guide

_SAVE = "`fizzpy check MODEL --json > FILE` saves a report"
_KINDS = "name a model, a report or a guided trace"
_CYCLE, _STUTTER = "# --- cycle ---", "# --- stutter ---"


def is_report(path: str) -> bool:
    """Is a file a report rather than a guided trace? Raises `UsageProblem` if it can not be read."""
    return path.endswith(".json") or _text(path).lstrip().startswith("{")


# --- guided traces -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SavedGuide:
    """A guided trace, its model and what that is given. `cycle_start`: the first entry of a cycle."""

    path: str
    model: str
    given: Given
    guide: Guide
    cycle_start: int | None
    stutter: bool

    def sources(self) -> dict[str, str]:
        """The model as it was written, if it is there: not what it includes."""
        text = _source(self.model)
        return {} if text is None else {self.model: text}

    def trace(self) -> Trace:
        """The steps by their names: nothing more is known without the model."""
        entries = [_named("Init", self.guide.init), *(_named(link.head.text, link) for link in self.guide.links)]
        return Trace(tuple(entries), self.cycle_start, self.stutter)


def saved_guide(path: str, given: Given, model: str | None = None) -> SavedGuide:
    """Read a guided trace. Raises `UsageProblem`.

    `model`: if not the one in the command at the head of the file.
    """
    text = _text(path)
    if model is None:
        model, given = _command(path, text, given)
    before, found, _ = text.partition(_CYCLE)
    cycle = len(parse_guide(before, path).links) + 1 if found else None
    return SavedGuide(path, model, given, parse_guide(text, path), cycle, _STUTTER in text)


def _named(name: str, link: Link) -> TraceEntry:
    """An entry of which the name is known, and what that says."""
    bare = name.partition("[")[0].removesuffix(" crash")
    crash = link.crash is not None or name.endswith(" crash") or name.startswith("crash-role ")
    choices = tuple(line.text for line in link.choices)
    label = f"{name}[{', '.join(choices)}]" if choices else name
    label = label if link.crash is None else f"{label} crash"
    if name == "Init":
        return TraceEntry(label, "init", "Init", None, None, choices, False, ())
    if bare.startswith("thread-"):
        return TraceEntry(label, "continue", None, None, None, choices, crash, (), thread=bare)
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
    raise UsageProblem(f"'{path}' does not say of which model it is", f"`fizzpy show MODEL --follow {path}` says it")


def _values(pairs: Sequence[tuple[str, str]], option: str) -> dict[str, str]:
    found = [text.partition("=") for name, text in pairs if name == option]
    return {name: value for name, _, value in found}


# --- reports -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Written:
    """What a report says of one counterexample."""

    sentence: str
    name: str | None
    trace: Trace


@dataclass(frozen=True, slots=True)
class SavedReport:
    """A report: its counterexamples, the leading one first, of which there is one. `named`: its model's path then."""

    path: str
    model: str
    named: str
    given: Given
    claims: tuple[Claim, ...]
    written: tuple[Written, ...]

    def sources(self) -> dict[str, str]:
        """The files that its steps name, as far as they are there; the model wherever it is now."""
        names = [entry.file for one in self.written for entry in one.trace.entries if entry.file is not None]
        places = {name: self.model if name == self.named else name for name in dict.fromkeys([self.named, *names])}
        return {name: text for name, place in places.items() if (text := _source(place)) is not None}


def saved_report(path: str, given: Given, model: str | None = None) -> SavedReport:
    """Read a report that was saved as JSON. Raises `UsageProblem`.

    `model`: if not the one that the report names.
    """
    fields = _fields(path)
    written = tuple(_readable(path, fields))
    named = str(fields["model"])
    if not written:
        verdict = fields.get("verdict", "unknown")
        hint = f"walk through the model by hand: fizzpy show {shlex.quote(named)}"
        raise UsageProblem(f"'{path}' has no counterexample, its verdict is '{verdict}'", hint)
    claims = tuple(Claim(str(one["name"]), str(one["kind"])) for one in fields["properties"])
    return SavedReport(path, model or _beside(path, named), named, given.over(_given(path, fields)), claims, written)


def _given(path: str, fields: Mapping[str, Any]) -> Given:
    """The constants and options of a report. Older ones do not name them."""
    found = [fields.get(name, {}) for name in ("constants", "options")]
    if not all(isinstance(one, dict) and all(isinstance(text, str) for text in one.values()) for one in found):
        raise UsageProblem(f"'{path}' is damaged, or no report: its constants or options are no texts", _SAVE)
    return Given(*found)


def _fields(path: str) -> Mapping[str, Any]:
    try:
        fields = json.loads(_text(path))
    except (ValueError, RecursionError) as problem:
        raise UsageProblem(f"'{path}' is damaged, or no report: {problem}", _SAVE) from None
    if not isinstance(fields, dict) or not {"trace", "model", "properties"} <= fields.keys():
        raise UsageProblem(f"'{path}' is no report of fizzpy: it lacks 'model', 'properties' or 'trace'", _SAVE)
    return fields


def _readable(path: str, fields: Mapping[str, Any]) -> Iterator[Written]:
    """What is written of each counterexample, the leading one first. Raises `UsageProblem` if it can not be read."""
    try:
        yield from _written(fields)
    except (AttributeError, KeyError, TypeError, ValueError) as problem:
        raise UsageProblem(f"'{path}' is damaged, or no report ({type(problem).__name__}: {problem})", _SAVE) from None


def _written(fields: Mapping[str, Any]) -> Iterator[Written]:
    leading = fields["trace"]
    broken = [one for one in fields["properties"] if one["verdict"] == "violated"]
    if fields.get("error") is not None and leading is not None:
        yield _counterexample(f"the model fails: {fields['error']['text']}", None, fields, fails=True)
    told = [one for one in broken if one.get("trace") is not None]
    for one in sorted(told, key=lambda one: one["trace"] != leading):
        yield _counterexample(_violation(one), str(one["name"]), one)
    if not told and leading is not None and fields.get("error") is None:
        # A guided trace: the properties say only after how many steps they were violated.
        sentence = "; ".join(map(_violation, broken)) or "no property is violated on the way"
        yield _counterexample(sentence, None, fields)


def _violation(one: Mapping[str, Any]) -> str:
    steps = None if one["steps"] is None else int(one["steps"])
    return violation(PropertyReport(str(one["name"]), str(one["kind"]), "violated", steps))


def _counterexample(sentence: str, name: str | None, fields: Mapping[str, Any], fails: bool = False) -> Written:
    told = list(fields["trace"])
    # Where an assertion fails, the step itself did something.
    failing = len(told) - 1 if fails and told and not told[-1]["changes"] else None
    entries = with_states(_entry(one, number == failing) for number, one in enumerate(told))
    cycle = fields.get("cycle_start")
    fairness = tuple(str(sentence) for sentence in fields.get("fairness", ()))
    cycle_start = None if cycle is None else int(cycle)
    return Written(sentence, name, Trace(tuple(entries), cycle_start, bool(fields.get("stutter")), fairness))


def _entry(told: Mapping[str, Any], fails: bool) -> TraceEntry:
    file, line, kind = told.get("file"), told.get("line"), told.get("kind")
    return TraceEntry(
        label=str(told["label"]),
        kind=kind if kind in ("init", "continue", "deliver", "crash-role") else "start",
        actor=None if told.get("actor") is None else str(told["actor"]),
        file=None if file is None else str(file),
        line=None if line is None else int(line),
        choices=tuple(str(choice) for choice in told.get("choices", ())),
        crash=bool(told.get("crash")),
        changes=tuple(Change(str(place), old, new) for place, old, new in told["changes"]),
        fails=fails,
    )


# --- texts ---------------------------------------------------------------------------------------------------------


def _beside(path: str, model: str) -> str:
    """Where the model of a file is: as it is named there, or beside the file."""
    near = File(path).parent / File(model).name
    return str(near) if not File(model).is_file() and near.is_file() else model


def _source(path: str) -> str | None:
    try:
        return File(path).read_bytes().decode("utf-8", errors="replace") if File(path).is_file() else None
    except OSError:
        return None


def _text(path: str) -> str:
    """The text of a file. Raises `UsageProblem`."""
    try:
        if File(path).is_file():
            return File(path).read_bytes().decode("utf-8", errors="replace")
        if File(path).is_dir():
            raise UsageProblem(f"'{path}' is a directory", _KINDS)
        what = "is not an ordinary file" if File(path).exists() else "does not exist"
    except OSError as problem:
        raise UsageProblem(f"'{path}' cannot be read: {problem.strerror}", "check its permissions") from None
    raise UsageProblem(f"'{path}' {what}", _KINDS)
