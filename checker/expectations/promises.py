"""What models promise: `expect.yaml` beside a model lists runs with verdicts and exact figures, for every engine.

    - model: TwoPhase.fizz
      set: {RMS: 3}
      mark: quick
      exit: 0
      states: 288
      properties:
        Consistent: {verdict: holds}

`set` gives constants, `options` front-matter options, `keep_going`, `max_states` and `max_depth` what the command
calls by these names. Figures that are not given are not compared. See docs/expectations.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from checker.check import check
from checker.core.exploration import Settings
from checker.core.given import literal, option_text
from checker.core.limits import BETWEEN_LEVELS, Limits
from checker.core.problems import ExitCode, Problem, UsageProblem
from checker.core.report import PropertyVerdict, Report, Verdict
from checker.search.composition.load_whole import load_whole
from checker.storage.user_paths import read_user_file
from fizz import Module, load
from fizz.base.yaml_text import YamlError, YamlNode, compose, plain

FILE_NAME = "expect.yaml"
MARKS = ("quick", "large")
NUMBERS = ("exit", "states", "transitions", "crash_steps", "initial", "cut", "depth")
FIGURES = (*NUMBERS, "verdict")
_LONGEST = 256 * 1024
_LARGEST = 10**18
_NAME_ONE = f"give a folder with an {FILE_NAME}, or such a file"
BOUNDS = tuple(reason.value for reason in BETWEEN_LEVELS)
KEYS = {"model", "set", "options", "keep_going", *BOUNDS, "mark", "properties", *FIGURES}


class ExpectationProblem(Problem):
    """An error in an `expect.yaml`; the text begins with its location."""

    exit_code = ExitCode.OPTIONS


@dataclass(frozen=True, slots=True)
class Promise:
    """One run and its expected results: `figures` and `properties` are compared with the report.

    `file` and `line` are its location.
    """

    model: Path
    constants: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    keep_going: bool = False
    limits: Limits = field(default_factory=Limits)
    mark: str = "quick"
    figures: Mapping[str, int | str] = field(default_factory=dict)
    properties: Mapping[str, Mapping[str, int | str]] = field(default_factory=dict)
    file: Path | None = None
    line: int = 0

    @property
    def given(self) -> str:
        """Constants, options and limits of the run: `RMS=3 --keep-going`."""
        given = [f"{name}={text}" for name, text in (*self.constants.items(), *self.options.items())]
        given += ["--keep-going"] if self.keep_going else []
        limits = [f"--{name.replace('_', '-')} {limit}" for name, limit in self.limits.asked.items()]
        return " ".join([*given, *limits])

    @property
    def title(self) -> str:
        """The run in a few words: `TwoPhase.fizz RMS=3`."""
        return f"{self.model.name} {self.given}".rstrip()

    def run(self, engine: str, module: Module | None = None, **more: Any) -> Report:
        """Check the model as the promise says. `module`: the model, if it is loaded. `more` are further settings."""
        settings = Settings(keep_going=self.keep_going, limits=self.limits, **more)
        model = self.model if module is None else module
        return check(model, engine=engine, settings=settings, options=self.options, constants=self.constants)

    def read(self) -> Module:
        """The model as the promise says; one that composes others is not joined yet. Raises `FizzError`."""
        return load(self.model, options=self.options, constants=self.constants)

    def load(self) -> Module:
        """The model as it is run. Raises `FizzError`."""
        return load_whole(self.read())

    def broken_by(self, report: Report) -> list[str]:
        """The differences of a report, one sentence each; none if the promise is kept."""
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


def promises_in(path: Path) -> list[Promise]:
    """The promises of a folder and its subfolders, in the order of the files, or those of one file.

    Raises `UsageProblem` if there are none, `ExpectationProblem` for an error in a file.
    """
    try:
        is_folder = path.is_dir()
        is_there = path.exists()
    except OSError as problem:
        raise UsageProblem(f"'{path}' cannot be read: {problem.strerror}", _NAME_ONE) from None
    if is_folder:
        if not any(path.rglob(FILE_NAME)):
            hint = "write one beside the models: a list of runs, as `- {model: NAME.fizz, exit: 0}`"
            raise UsageProblem(f"there is no {FILE_NAME} in '{path}' or below", hint)
        return promises_below(path)
    if not is_there:
        raise UsageProblem(f"there is no file or folder '{path}'", _NAME_ONE)
    if path.suffix == ".fizz":
        raise UsageProblem(f"'{path}' is a model, not a list of runs", f"check it by `fizzpy check`, or {_NAME_ONE}")
    return read_promises(path)


def promises_below(folder: Path) -> list[Promise]:
    """All promises of a folder and its subfolders, in the order of the files."""
    return [promise for path in sorted(folder.rglob(FILE_NAME)) for promise in read_promises(path)]


def read_promises(path: Path) -> list[Promise]:
    """The promises of one `expect.yaml`. Raises `ExpectationProblem` for an error in it."""
    text = read_user_file(path, f"an {FILE_NAME}", _LONGEST)
    try:
        node = compose(text, _LONGEST)
        document = None if node is None else plain(node)
    except YamlError as error:
        raise _wrong(path, error.line + 1, f"this is not valid YAML: {error.text}") from None
    if node is None or not isinstance(document, list):
        raise _wrong(path, 1, "it must be a list of runs", "begin each run with `- model: NAME.fizz`")
    readers = [_Reader(path, number, *_lines(run)) for number, run in enumerate(node.items, 1)]
    return [reader.promise(run) for reader, run in zip(readers, document, strict=True)]


def _lines(node: YamlNode) -> tuple[int, dict[str, int]]:
    """The first line of a run, and the line of each of its keys."""
    return node.line + 1, {key.text: key.line + 1 for key, _ in node.pairs}


def _is_count(value: object, least: int = 0) -> bool:
    return type(value) is int and least <= value <= _LARGEST


def _wrong(path: Path, line: int, text: str, hint: str | None = None) -> ExpectationProblem:
    return ExpectationProblem(f"{path}:{line}: {text}", hint)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one run of a file. Raises `ExpectationProblem` for an error in it."""

    path: Path
    number: int
    line: int
    lines: Mapping[str, int]

    def promise(self, run: object) -> Promise:
        """The promise of a run."""
        if not isinstance(run, dict) or not isinstance(run.get("model"), str):
            raise self._wrong("", "it must be a mapping with the key 'model', the name of a file")
        for key in run:
            if key not in KEYS:
                raise self._wrong(str(key), f"unknown key '{key}'", f"the keys are {', '.join(sorted(KEYS))}")
        self._check_values(run)
        return Promise(
            model=self.path.parent / run["model"],
            constants={
                str(n): value if isinstance(value, str) else self._literal(value)
                for n, value in self._mapping(run, "set")
            },
            options={str(name): option_text(value) for name, value in self._mapping(run, "options")},
            keep_going=run.get("keep_going", False),
            limits=Limits(**{reason.limit: run.get(reason) for reason in BETWEEN_LEVELS if reason.limit is not None}),
            mark=run.get("mark", "quick"),
            figures={name: run[name] for name in FIGURES if name in run},
            properties=dict(self._properties(run)),
            file=self.path,
            line=self.line,
        )

    def _check_values(self, run: dict[str, Any]) -> None:
        for key in (*NUMBERS, *BOUNDS):
            if key in run and (not _is_count(run[key], least=key in BOUNDS and key != "max_depth")):
                raise self._wrong(key, f"{key} must be a number")
        if run.get("mark", "quick") not in MARKS:
            raise self._wrong("mark", f"mark must be one of {', '.join(MARKS)}")
        if run.get("verdict", "passed") not in get_args(Verdict):
            raise self._wrong("verdict", f"verdict must be one of {', '.join(get_args(Verdict))}")
        if not isinstance(run.get("keep_going", False), bool):
            raise self._wrong("keep_going", "keep_going must be true or false")

    def _properties(self, run: dict[str, Any]) -> Iterator[tuple[str, Mapping[str, int | str]]]:
        for name, figures in self._mapping(run, "properties"):
            if not isinstance(figures, dict) or not set(figures) <= {"verdict", "steps"}:
                raise self._wrong("properties", f"property {name} must be a mapping of verdict and steps")
            if figures.get("verdict", "holds") not in get_args(PropertyVerdict):
                verdicts = ", ".join(get_args(PropertyVerdict))
                raise self._wrong("properties", f"the verdict of {name} must be one of {verdicts}")
            if not _is_count(figures.get("steps", 0)):
                raise self._wrong("properties", f"the steps of {name} must be a number")
            yield str(name), figures

    def _mapping(self, run: dict[str, Any], key: str) -> Iterator[tuple[object, Any]]:
        value = run.get(key) or {}
        if not isinstance(value, dict):
            raise self._wrong(key, f"'{key}' must be a mapping")
        yield from value.items()

    def _literal(self, value: object) -> str:
        """The text of a constant that is no text; a text is the expression itself, as on the command line."""
        try:
            return literal(value)
        except UsageProblem as problem:
            raise self._wrong("set", problem.text, problem.hint) from None

    def _wrong(self, key: str, text: str, hint: str | None = None) -> ExpectationProblem:
        return _wrong(self.path, self.lines.get(key, self.line), f"run {self.number}: {text}", hint)
