"""`HistoryRecorder`: writes what threads, tasks or processes call at once, for `fizzpy history`."""

from __future__ import annotations

import concurrent.futures
import inspect
import json
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from typing import Literal as OneOf

from checker.conformance.plain_values import plain
from checker.core.problems import UsageProblem

_OWN: Final = ("process", "type", "f", "time")
"""The fields of a record that are no parameters."""
_MODES: Final = {"refuse": "a", "append": "a", "overwrite": "w"}


class HistoryRecorder:
    """Writes a concurrent history for `fizzpy history`: several threads or tasks call at once.

    `existing`: what becomes of a file that has something in it already. Two histories in one file would be read as one,
    so that it is refused unless "append" or "overwrite" says what is meant. Raises `UsageProblem` if the file is
    refused or can not be written. It may be used in a `with` statement, which closes it.
    """

    def __init__(self, path: str | Path, existing: OneOf["refuse", "append", "overwrite"] = "refuse") -> None:
        if existing not in _MODES:
            raise UsageProblem(f"existing={existing!r} is not known", f"it is one of {', '.join(_MODES)}")
        place = Path(path)
        try:
            if existing == "refuse" and place.exists() and place.stat().st_size:
                raise UsageProblem(
                    f"{path} has a history already, and this one would be added to it",
                    'give another name, or existing="overwrite", or existing="append" if both are of one run',
                )
            self._file = place.open(_MODES[existing], encoding="utf-8")
        except OSError as failure:
            raise UsageProblem(f"{path} cannot be written: {failure.strerror}") from None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def invoke(self, process: int | str, f: str, **fields: Any) -> None:
        """Note that a process begins an operation; `fields`: its arguments by parameter."""
        for name in fields:
            if name in _OWN:
                raise UsageProblem(
                    f"the parameter '{name}' of {f} has the name of a field that each record of a history has",
                    "give all arguments in their order: args=[...]",
                )
        self._write({"process": process, "type": "invoke", "f": f, **fields})

    def respond(self, process: int | str, f: str, kind: str = "ok", **fields: Any) -> None:
        """Note its response: "ok" with a `result`, "fail" (it did not happen), or "info" (it may have)."""
        self._write({"process": process, "type": kind, "f": f, **fields})

    def call(self, process: int | str, f: str, function: Callable[..., Any], **arguments: Any) -> Any:
        """Call a function with these arguments, between an invocation and its response; an exception is "info".

        Of an `async` function it returns what is to be awaited, as the function does: the response is noted when that
        is done. Raises `UsageProblem` for other functions that return before they are done.
        """
        if inspect.iscoroutinefunction(function):
            return self._awaited(process, f, function, arguments)
        self.invoke(process, f, **arguments)
        try:
            result = function(**arguments)
            _refuse_unfinished(f, result)
        except BaseException:
            self.respond(process, f, "info")
            raise
        if inspect.isawaitable(result):
            # A function that is not `async` itself, but returns what one returned.
            return self._answered(process, f, result)
        self.respond(process, f, result=result)
        return result

    async def _awaited(
        self, process: int | str, f: str, function: Callable[..., Awaitable[Any]], arguments: dict[str, Any]
    ) -> Any:
        """An `async` function begins when it is awaited."""
        self.invoke(process, f, **arguments)
        return await self._answered(process, f, function(**arguments))

    async def _answered(self, process: int | str, f: str, result: Awaitable[Any]) -> Any:
        try:
            answer = await result
        except BaseException:
            self.respond(process, f, "info")
            raise
        self.respond(process, f, result=answer)
        return answer

    def _write(self, record: dict[str, Any]) -> None:
        with self._lock:
            self._file.write(json.dumps(plain(record) | {"time": time.monotonic_ns()}) + "\n")
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _refuse_unfinished(f: str, result: object) -> None:
    """Refuse what a function returned that does its work later. Raises `UsageProblem`."""
    if inspect.isgenerator(result) or inspect.isasyncgen(result):
        raise UsageProblem(
            f"the function of {f} returned a generator, which has done nothing yet",
            "give a function that returns when the operation is done, as `lambda: list(...)`",
        )
    if isinstance(result, concurrent.futures.Future):
        raise UsageProblem(
            f"the function of {f} returned a future, which may not be done",
            "give a function that waits for it: `lambda: submit(...).result()`",
        )
