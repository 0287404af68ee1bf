"""Runs of the command that the server starts: checks for code lenses, and values for hovers.

Each is a process of its own, so that a model can neither block the server nor end it.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

_CHECK_S = 300
_VALUES_S = 5.0
_MOST_BYTES = 64 * 1024 * 1024
_HOME = Path(__file__).resolve().parents[2]
"""The folder of the packages: a process that is started elsewhere finds them by it."""


@dataclass(frozen=True, slots=True)
class LastCheck:
    """What the last check of a model gave: the fields of its report, and whether the model has changed since."""

    fields: Mapping[str, object]
    stale: bool = False

    @property
    def title(self) -> str:
        """In a few words: `6 states, 1 violated`."""
        if self.fields.get("error") is not None:
            text = "the model failed" if self.fields.get("exit_code") == 75 else "not checked"
        else:
            violated = sum(one.get("verdict") == "violated" for one in self.properties)
            what = f"{violated} violated" if violated else str(self.fields.get("verdict", ""))
            text = f"{self.fields.get('states', 0):,} states, {what}"
        return text + (" (before the last change)" if self.stale else "")

    @property
    def properties(self) -> list[Mapping[str, object]]:
        found = self.fields.get("properties")
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []

    def property_title(self, name: str) -> str | None:
        """What the check said of one property: `violated, 4 steps`."""
        for one in self.properties:
            if one.get("name") == name:
                steps = f", {one['steps']} steps" if one.get("steps") is not None else ""
                return f"{one.get('verdict')}{steps}"
        return None


@dataclass(slots=True)
class ModelRuns:
    """The processes that run, and the last results by the path of the model."""

    last: dict[str, LastCheck] = field(default_factory=dict)
    _running: dict[str, asyncio.subprocess.Process] = field(default_factory=dict)

    def is_running(self, path: str) -> bool:
        return path in self._running

    def mark_stale(self, paths: list[str]) -> None:
        """These models have changed."""
        for path in paths:
            if path in self.last:
                self.last[path] = LastCheck(self.last[path].fields, stale=True)

    async def check(self, path: str) -> LastCheck | None:
        """Check a model as the command does; None if another check of it has been asked for meanwhile."""
        self.end(path)
        arguments = ("fizzpy_command", "check", path, "--json", "--timeout", str(_CHECK_S))
        process = await self._start(*arguments)
        self._running[path] = process
        out, _ = await process.communicate()
        if self._running.get(path) is not process:
            return None
        del self._running[path]
        fields: object = None
        with suppress(ValueError, RecursionError):
            fields = json.loads(out)
        if not isinstance(fields, dict):
            fields = {"error": {"text": "the check ended without an answer"}}
        self.last[path] = LastCheck(fields)
        return self.last[path]

    async def first_values(self, path: str, texts: Mapping[str, str]) -> dict[str, dict[str, tuple[str, str]]]:
        """As `first_values.first_values`; empty if that takes too long."""
        process = await self._start("checker.lsp.first_values")
        request = json.dumps({"path": path, "texts": dict(texts)}).encode()
        try:
            out, _ = await asyncio.wait_for(process.communicate(request), _VALUES_S)
            found = json.loads(out)
        except (TimeoutError, ValueError, OSError):
            found = {}
        finally:
            _end(process, signal.SIGKILL)
        return found if isinstance(found, dict) else {}

    async def _start(self, module: str, *arguments: str) -> asyncio.subprocess.Process:
        begin = f"import runpy, sys; sys.path.insert(0, {str(_HOME)!r})"
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            f"{begin}; runpy.run_module({module!r}, run_name='__main__')",
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_MOST_BYTES,
        )

    def end(self, path: str | None = None) -> None:
        """End the check of a model, or all of them."""
        for one in [path] if path is not None else list(self._running):
            process = self._running.pop(one, None)
            if process is not None:
                _end(process, signal.SIGTERM)


def _end(process: asyncio.subprocess.Process, how: signal.Signals) -> None:
    """A check removes its temporary files when it is asked to end; it ends its workers too."""
    with suppress(ProcessLookupError, OSError):
        if process.returncode is None:
            process.send_signal(how)
