"""Opens a file that is no model: a report that was saved with `--json`, or a guided trace that names its model."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as File
from typing import Any

from checker.given import Given
from checker.locate import locate
from checker.problems import UsageProblem
from checker.report import PropertyReport
from checker.show.opening import Opened, Story, opened_report, violation
from checker.show.retrace import Told, retrace
from checker.trace import Change
from checker.walks.guide import parse_guide
from checker.walks.guided import follow as follow_guide
from checker.walks.walk_report import GuidedReport
from fizz import Module, load
from interpreter import Machine, ModelError, compile_module

_SAVE = "`fizzpy check MODEL --json > FILE` saves a report"
_KINDS = "name a model, a report or a guided trace"
_CYCLE, _STUTTER = "# --- cycle ---", "# --- stutter ---"


def load_given(model: str, given: Given) -> Module:
    """A model with these constants and options. Raises `FizzError` and `Problem`."""
    return load(locate(model), options=given.options, constants=given.constants)


def is_report(path: str) -> bool:
    """Is a file a report rather than a guided trace? Raises `UsageProblem` if it can not be read."""
    return path.endswith(".json") or _text(path).lstrip().startswith("{")


# --- guided traces -------------------------------------------------------------------------------------------------


def open_guide(path: str, given: Given, model: str | None = None) -> tuple[Opened | None, GuidedReport]:
    """A guided trace, followed; and what was found on the way. Raises `Problem` and `FizzError`.

    `model`: if not the one in the command at the head of the file. None is opened if the model fails in Init.
    """
    text = _text(path)
    if model is None:
        model, given = _command(path, text, given)
    module = load_given(model, given)
    report = follow_guide(module, path)
    if report.trace is not None:
        shape = replace(report.trace, cycle_start=_cycle(path, text), stutter=_STUTTER in text)
        report = replace(report, trace=shape)
    return opened_report(module, report, "the trace has no steps"), report


def _command(path: str, text: str, given: Given) -> tuple[str, Given]:
    """The model of a guided trace, with its constants and options: the command at its head names them."""
    for line in text.split("\n"):
        if line.startswith("# fizzpy trace "):
            try:
                _, _, model, *rest = shlex.split(line[1:])
            except ValueError:
                break
            pairs = list(zip(rest[::2], rest[1::2], strict=False))
            return model, given.over(Given(_values(pairs, "--set"), _values(pairs, "--option")))
    raise UsageProblem(f"'{path}' does not say of which model it is", f"`fizzpy show MODEL --follow {path}` says it")


def _values(pairs: Sequence[tuple[str, str]], option: str) -> dict[str, str]:
    found = [text.partition("=") for name, text in pairs if name == option]
    return {name: value for name, _, value in found}


def _cycle(path: str, text: str) -> int | None:
    """The first entry of the cycle: `save_trace` writes a comment before it."""
    before, found, _ = text.partition(_CYCLE)
    return len(parse_guide(before, path).links) + 1 if found else None


# --- reports -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Written:
    """What a report says of one counterexample."""

    sentence: str
    name: str | None
    steps: tuple[Told, ...]
    cycle_start: int | None
    stutter: bool
    fairness: tuple[str, ...]


def open_report(path: str, given: Given, model: str | None = None) -> Opened:
    """The counterexamples of a report that was saved as JSON, followed again. Raises `Problem` and `FizzError`.

    `model`: if not the one that the report names.
    """
    fields = _fields(path)
    written = list(_readable(path, fields))
    named = str(fields["model"])
    if not written:
        verdict = fields.get("verdict", "unknown")
        hint = f"walk through the model by hand: fizzpy show {shlex.quote(named)}"
        raise UsageProblem(f"'{path}' has no counterexample, its verdict is '{verdict}'", hint)
    module = load_given(model or _beside(path, named), given.over(_given(path, fields)))
    try:
        machine = Machine(compile_module(module))
        return Opened(module, machine, tuple(_story(machine, one, path) for one in written))
    except ModelError as error:
        reason = f"its constants fail now: {error.text}"
        raise UsageProblem(f"'{path}' does not fit the model: {reason}", "check it again") from None


def _given(path: str, fields: Mapping[str, Any]) -> Given:
    """The constants and options of a report. Older ones do not name them."""
    found = [fields.get(name, {}) for name in ("constants", "options")]
    if not all(isinstance(one, dict) and all(isinstance(text, str) for text in one.values()) for one in found):
        raise UsageProblem(f"'{path}' is damaged, or no report: its constants or options are no texts", _SAVE)
    return Given(*found)


def _story(machine: Machine, written: _Written, path: str) -> Story:
    found = retrace(machine, written.steps, f"'{path}'")
    trace = replace(found.trace, cycle_start=written.cycle_start, stutter=written.stutter, fairness=written.fairness)
    return Story(written.sentence, replace(found, trace=trace), written.name)


def _beside(path: str, model: str) -> str:
    """Where the model of a report is: as it was named, or beside the report."""
    near = File(path).parent / File(model).name
    return str(near) if not File(model).is_file() and near.is_file() else model


def _fields(path: str) -> Mapping[str, Any]:
    try:
        fields = json.loads(_text(path))
    except (ValueError, RecursionError) as problem:
        raise UsageProblem(f"'{path}' is damaged, or no report: {problem}", _SAVE) from None
    if not isinstance(fields, dict) or not {"trace", "model", "properties"} <= fields.keys():
        raise UsageProblem(f"'{path}' is no report of fizzpy: it lacks 'model', 'properties' or 'trace'", _SAVE)
    return fields


def _readable(path: str, fields: Mapping[str, Any]) -> Iterator[_Written]:
    """What is written of each counterexample, the leading one first. Raises `UsageProblem` if it can not be read."""
    try:
        yield from _written(fields)
    except (AttributeError, KeyError, TypeError, ValueError) as problem:
        raise UsageProblem(f"'{path}' is damaged, or no report ({type(problem).__name__}: {problem})", _SAVE) from None


def _written(fields: Mapping[str, Any]) -> Iterator[_Written]:
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


def _counterexample(sentence: str, name: str | None, fields: Mapping[str, Any], fails: bool = False) -> _Written:
    entries = list(fields["trace"])
    cycle = fields.get("cycle_start")
    steps = [
        Told(
            str(entry["label"]),
            tuple(Change(str(place), old, new) for place, old, new in entry["changes"]),
            # Where an assertion fails, the step itself did something.
            fails and number == len(entries) - 1 and not entry["changes"],
        )
        for number, entry in enumerate(entries)
    ]
    fairness = tuple(str(sentence) for sentence in fields.get("fairness", ()))
    cycle_start = None if cycle is None else int(cycle)
    return _Written(sentence, name, tuple(steps), cycle_start, bool(fields.get("stutter")), fairness)


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
