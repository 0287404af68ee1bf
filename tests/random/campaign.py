"""A campaign by hand: `python -m tests.random.campaign FIRST LAST`; programs that break a law are made small and kept.

The text of each goes to a folder, `--into`, as it was found and as small as it could be made.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import fizz
from checker.exploration import Settings
from checker.limits import Limits
from tests.random import laws
from tests.random.programs import program
from tests.random.reduce import reduced
from tests.random.source import Source, seeded
from tests.random.syntax import syntax


class TooLong(Exception):
    """A program takes too long to be looked at."""


def settings_of(source: Source) -> Settings:
    """How to explore."""
    return Settings(
        keep_going=source.chance(50), limits=Limits(states=source.pick((60, 250, 700))), symmetry=not source.chance(15)
    )


def broken_law(text: str, settings: Settings) -> str | None:
    """The first law that a program breaks, in words that are the same for the same cause."""
    try:
        fizz.load("m.fizz", text=text)
    except fizz.FizzError as error:
        return f"load {error.diagnostics[0].code}"
    try:
        laws.check_printing(text)
    except AssertionError:
        return "printing"
    try:
        differences = laws.differences(text, settings)
    except TooLong:
        raise
    except Exception as error:  # noqa: BLE001 -- whatever it is, it is what is looked for
        return _words("check", error)
    if differences:
        kinds = sorted({re.split(" is ", line)[0] for line in differences})
        return f"differ {kinds[0]}"
    machine = laws.machine_of(text)
    if machine is None:
        return None
    for name, law in (
        ("canonical", lambda: laws.check_canonical(machine, 150)),
        ("reads", lambda: laws.check_reads(machine, 60, 3)),
    ):
        try:
            law()
        except TooLong:
            raise
        except Exception as error:  # noqa: BLE001
            return _words(name, error)
    return None


def _words(law: str, error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{law} {type(error).__name__} {Path(frame.filename).name}:{frame.name}"


def in_time(seconds: int, ask: Callable[[], str | None]) -> str | None:
    """The answer, or TooLong."""

    def stop(*_: object) -> None:
        raise TooLong

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        return ask()
    finally:
        signal.alarm(0)


def _same(ask: Callable[[str], str | None], law: str, text: str) -> bool:
    return ask(text) == law


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--into", type=Path, default=Path("found"))
    parser.add_argument("--syntax", action="store_true", help="only texts that parse, for printing")
    chosen = parser.parse_args()
    chosen.into.mkdir(parents=True, exist_ok=True)
    say = sys.stdout.write
    seen: Counter[str] = Counter()
    begun = time.monotonic()
    for seed in range(chosen.first, chosen.last):
        source = seeded(seed)
        if chosen.syntax:
            laws.check_printing(syntax(source))
            continue
        text = program(source)
        settings = settings_of(source)

        def ask(text: str, settings: Settings = settings) -> str | None:
            return in_time(20, lambda: broken_law(text, settings))

        try:
            law = ask(text)
        except TooLong:
            seen["too long"] += 1
            continue
        seen[law or "fine"] += 1
        if seed % 500 == 499:
            say(f"{seed + 1}: {dict(seen)}\n")
            sys.stdout.flush()
        if law is not None and seen[law] <= 3:
            same = partial(_same, ask, law)
            say(f"{seed}: {law} {settings.keep_going=} {settings.limits=} {settings.symmetry=}\n")
            sys.stdout.flush()
            place = chosen.into / f"{seed}.fizz"
            place.write_text(text)
            if seen[law] <= 1:
                place.with_suffix(".small").write_text(f"# {law} {settings}\n" + reduced(text, same))
    say(f"{dict(seen)} in {time.monotonic() - begun:.0f} s\n")


if __name__ == "__main__":
    main()
