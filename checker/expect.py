"""What models promise: `expect.yaml` beside a model lists runs with verdicts and exact figures, for every engine.

    - model: TwoPhase.fizz
      set: {RMS: 3}
      mark: quick
      exit: 0
      states: 288
      properties:
        Consistent: {verdict: holds}

`set` gives constants, `options` front-matter options, `keep_going` and `max_states` what the command calls by these
names. Figures that are not given are not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import yaml

from checker.check import check
from checker.exploration import Settings
from checker.literals import literal, option_text
from checker.problems import UsageProblem
from checker.report import PropertyVerdict, Report

FILE_NAME = "expect.yaml"
MARKS = ("quick", "large")
FIGURES = ("exit", "states", "transitions", "crash_steps", "initial", "cut", "depth", "verdict")
_KEYS = {"model", "set", "options", "keep_going", "max_states", "mark", "properties", *FIGURES}


@dataclass(frozen=True, slots=True)
class Promise:
    """One run and what must come of it. `figures` and `properties` hold what is to be compared, and nothing else."""

    model: Path
    constants: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    keep_going: bool = False
    max_states: int | None = None
    mark: str = "quick"
    figures: Mapping[str, int | str] = field(default_factory=dict)
    properties: Mapping[str, Mapping[str, int | str]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The run in a few words: `TwoPhase.fizz RMS=3`."""
        given = [f"{name}={text}" for name, text in (*self.constants.items(), *self.options.items())]
        return " ".join([self.model.name, *given, *(["--keep-going"] if self.keep_going else [])])

    def run(self, engine: str, **more: Any) -> Report:
        """Check the model as the promise says. `more` are further settings, such as those of Spark."""
        settings = Settings(keep_going=self.keep_going, max_states=self.max_states, **more)
        return check(self.model, engine=engine, settings=settings, options=self.options, constants=self.constants)

    def broken_by(self, report: Report) -> list[str]:
        """What a report does not keep, one sentence each; nothing: the promise is kept."""
        found = {name: getattr(report, name) for name in FIGURES if name != "exit"}
        found["exit"] = int(report.exit_code)
        broken = [
            f"{name} is {found[name]}, not {figure}" for name, figure in self.figures.items() if found[name] != figure
        ]
        verdicts = {p.name: {"verdict": p.verdict, "steps": p.steps} for p in report.properties}
        for name, wanted in self.properties.items():
            if name not in verdicts:
                broken.append(f"there is no property {name}")
                continue
            broken += [
                f"{name}: {figure} is {verdicts[name][figure]}, not {value}"
                for figure, value in wanted.items()
                if verdicts[name][figure] != value
            ]
        return broken


def promises_below(folder: Path) -> list[Promise]:
    """All promises made in a folder and below, in the order of the files."""
    return [promise for path in sorted(folder.rglob(FILE_NAME)) for promise in read_promises(path)]


def read_promises(path: Path) -> list[Promise]:
    """The promises of one `expect.yaml`. Raises `UsageProblem` where it is not what it should be."""
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise UsageProblem(f"{path} is not valid YAML: {error}") from None
    if not isinstance(document, list):
        raise _wrong(path, "it must be a list of runs")
    return list(_promises(path, document))


def _promises(path: Path, document: list[object]) -> Iterator[Promise]:
    for number, run in enumerate(document, start=1):
        where = f"run {number}"
        if not isinstance(run, dict) or "model" not in run:
            raise _wrong(path, f"{where} must be a mapping with the key 'model'")
        unknown = sorted(str(key) for key in run if key not in _KEYS)
        if unknown:
            raise _wrong(path, f"{where} has the unknown key '{unknown[0]}'; the keys are {', '.join(sorted(_KEYS))}")
        mark = run.get("mark", "quick")
        if mark not in MARKS:
            raise _wrong(path, f"{where}: mark must be one of {', '.join(MARKS)}")
        yield Promise(
            model=path.parent / str(run["model"]),
            constants={name: _expression(value) for name, value in _mapping(path, where, run, "set").items()},
            options={name: option_text(value) for name, value in _mapping(path, where, run, "options").items()},
            keep_going=bool(run.get("keep_going", False)),
            max_states=run.get("max_states"),
            mark=mark,
            figures={name: run[name] for name in FIGURES if name in run},
            properties=_properties(path, where, run),
        )


def _properties(path: Path, where: str, run: dict[str, Any]) -> dict[str, Mapping[str, int | str]]:
    wanted = _mapping(path, where, run, "properties")
    for name, figures in wanted.items():
        if not isinstance(figures, dict) or not set(figures) <= {"verdict", "steps"}:
            raise _wrong(path, f"{where}: property {name} must be a mapping of verdict and steps")
        if "verdict" in figures and figures["verdict"] not in get_args(PropertyVerdict):
            raise _wrong(path, f"{where}: the verdict of {name} must be one of {', '.join(get_args(PropertyVerdict))}")
    return wanted


def _mapping(path: Path, where: str, run: dict[str, Any], key: str) -> dict[str, Any]:
    value = run.get(key) or {}
    if not isinstance(value, dict):
        raise _wrong(path, f"{where}: '{key}' must be a mapping")
    return value


def _expression(value: object) -> str:
    """The text of a constant: a string is the expression itself, as on the command line."""
    return value if isinstance(value, str) else literal(value)


def _wrong(path: Path, text: str) -> UsageProblem:
    return UsageProblem(f"{path}: {text}")
