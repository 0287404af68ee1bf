"""Maps in Python: a module of the user's with a function `map_event`, whose answers are not trusted to be right."""

from __future__ import annotations

import contextlib
import inspect
import runpy
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from checker.conformance.log_files import Place
from checker.core.problems import UsageProblem

_DEEPEST: Final = 100
_VALUES: Final = (
    "the values of a rule are those of JSON: None, truth values, numbers, texts, lists, dicts; sets are lists"
)
_RULES: Final = "it returns a dict, a list of dicts of which one explains the event, or None"


@dataclass(frozen=True, slots=True)
class MapFunction:
    """The function of a map, called for each event."""

    path: str
    function: Callable[[dict[str, Any]], Any]

    def rules(self, place: Place, data: Mapping[str, Any]) -> list[dict[str, Any]] | None:
        """What an event may be, with values of JSON; None: it is ignored. Raises `UsageProblem`, at the event."""
        with _users_code(lambda failure: place.refuse(f"map_event() of {self.path} fails: {failure}"), self.path):
            answer = self.function(dict(data))
            if isinstance(answer, dict):
                answer = [answer]
            elif inspect.iscoroutine(answer):
                answer.close()
            if isinstance(answer, list):
                # A class of the user's may do anything when it is looked into.
                answer = [dict(one) if isinstance(one, dict) else None for one in answer]
        if answer is None:
            return None
        if not isinstance(answer, list) or not answer or None in answer:
            empty = "an empty list" if answer == [] else type(answer).__name__
            place.refuse(f"map_event() of {self.path} returned {empty}", _RULES)
        return [{key: self._value(place, str(key), value) for key, value in rule.items()} for rule in answer]

    def _value(self, place: Place, where: str, value: object, depth: int = 0) -> Any:
        """A value as one of JSON. Raises `UsageProblem`."""
        match value:
            case None | bool() | int() | float() | str():
                return value
            case list() | tuple() | set() | frozenset() if depth < _DEEPEST:
                return [self._value(place, where, one, depth + 1) for one in value]
            case dict() if depth < _DEEPEST:
                return {key: self._value(place, where, one, depth + 1) for key, one in value.items()}
        kind = type(value).__name__ if depth < _DEEPEST else "value that is nested too deep"
        raise UsageProblem(f"{place}: map_event() of {self.path} returned in '{where}' a {kind}", _VALUES)


def read_python(path: str) -> tuple[MapFunction, dict[str, Any]]:
    """The function of a map, and the settings beside it. Raises `UsageProblem`."""

    def refuse(failure: str) -> None:
        raise UsageProblem(f"{path} fails: {failure}") from None

    with _users_code(refuse, path):
        names = runpy.run_path(path)
    function = names.get("map_event")
    if not callable(function):
        raise UsageProblem(f"{path} has no function map_event", "map_event(event) returns a dict, or None to ignore it")
    settings = names.get("MAP", {})
    if not isinstance(settings, dict):
        raise UsageProblem(f"MAP in {path} is no dict", "it has the keys of a map in YAML without `events`")
    return MapFunction(path, function), settings


@contextlib.contextmanager
def _users_code(refuse: Callable[[str], object], path: str) -> Iterator[None]:
    """The block runs the user's code: what it raises is refused in a sentence, and what it prints is no report."""
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    except KeyboardInterrupt:
        raise
    except BaseException as failure:  # noqa: BLE001 - the code is the user's
        said = _described(failure, path)
    else:
        return
    refuse(said)


def _described(failure: BaseException, path: str) -> str:
    """What was raised, and in which line of the map."""
    try:
        text = str(failure)
    except Exception as mistake:  # noqa: BLE001 - so is its class
        text = f"(its text can not be made: {type(mistake).__name__})"
    line = None if isinstance(failure, SyntaxError) else _line_in(path, failure.__traceback__)
    return f"{type(failure).__name__}: {text}{'' if line is None else f' (line {line})'}"


def _line_in(path: str, traceback: TracebackType | None) -> int | None:
    """The last line of a file that is in a traceback."""
    line = None
    while traceback is not None:
        if Path(traceback.tb_frame.f_code.co_filename) == Path(path):
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
