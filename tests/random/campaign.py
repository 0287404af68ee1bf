"""A campaign by hand: `python -m tests.random.campaign FIRST LAST`; programs that break a law are made small and kept.

The text of each goes to a folder, `--into`, as it was found and as small as it could be made. `--engines` names those
of the registry that are compared with the plain one; Spark's partitions are worked on in this process. A program that
takes long is compared on its first levels only.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import fizz
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.search.registry import ENGINES
from tests.random import laws
from tests.random.programs import program
from tests.random.reduce import reduced
from tests.random.source import Source, seeded
from tests.random.syntax import syntax
from tests.spark.conftest import settings_for
from tests.spark.stage import staged

PATIENCE_S = 20
SHORTER = (Limits(states=60, depth=3), Limits(states=20, depth=1), Limits(depth=0))
"""How far to look at a program that takes longer than `PATIENCE_S`; if that takes too long as well, still less far."""


class TooLong(BaseException):
    """A program takes too long to be looked at. No exception that an engine may take for its own."""


def settings_of(source: Source) -> Settings:
    """How to explore. On Spark every level is a job, in one to three partitions."""
    chosen = Settings(
        keep_going=source.chance(50), limits=Limits(states=source.pick((60, 250, 700))), symmetry=not source.chance(15)
    )
    spark = settings_for(source.number(1, 3), source.pick((0, None)))
    return replace(chosen, spark_from=spark.spark_from, spark_conf=spark.spark_conf)


def broken_law(text: str, settings: Settings, engines: Sequence[str]) -> str | None:
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
        differences = laws.differences(text, settings, engines)
    except Exception as error:  # noqa: BLE001 -- whatever it is, it is what is looked for
        return _words("check", error)
    if differences:
        kinds = sorted({re.split(" is ", line)[0] for line in differences})
        return f"differ {kinds[0]}"
    machine = laws.machine_of(text)
    if machine is None or settings.limits.depth is not None:
        return None
    for name, law in (
        ("canonical", lambda: laws.check_canonical(machine, 150)),
        ("reads", lambda: laws.check_reads(machine, 60, 3)),
        ("refines itself", partial(_refines_itself, text)),
    ):
        try:
            law()
        except Exception as error:  # noqa: BLE001
            return _words(name, error)
    return None


def _refines_itself(text: str) -> None:
    if fizz.load("m.fizz", text=text).options.exclude:
        # States that differ in a variable that matters are one then, so that it does not explain all its steps.
        return
    with TemporaryDirectory() as folder:
        laws.check_refines_itself(laws.with_itself(text, Path(folder)))


def _words(law: str, error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{law} {type(error).__name__} {Path(frame.filename).name}:{frame.name}"


def in_time(seconds: int, ask: Callable[[], str | None]) -> str | None:
    """The answer. Raises `TooLong` after so many seconds of CPU: what else the machine does makes no difference."""

    def stop(*_: object) -> None:
        raise TooLong

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return ask()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def asked(text: str, settings: Settings, engines: Sequence[str]) -> tuple[str | None, Limits]:
    """The law that a program breaks, and how far it could be looked at for that. Raises `TooLong`."""
    for limits in (settings.limits, *SHORTER):
        try:
            bounded = replace(settings, limits=limits)
            return in_time(PATIENCE_S, partial(broken_law, text, bounded, engines)), limits
        except TooLong:
            continue
    raise TooLong


def _same(settings: Settings, engines: Sequence[str], law: str, text: str) -> bool:
    try:
        return in_time(PATIENCE_S, partial(broken_law, text, settings, engines)) == law
    except TooLong:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--into", type=Path, default=Path("found"))
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=laws.IN_PROCESS)
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
        if seed % 100 == 0:
            say(f"{seed}: {dict(seen)}\n")
            sys.stdout.flush()
        try:
            with staged():
                law, limits = asked(text, settings, chosen.engines)
        except TooLong:
            seen["too long"] += 1
            say(f"{seed}: takes too long\n")
            continue
        how_far = "" if limits == settings.limits else f", on {limits.depth} levels"
        seen[(law or "fine") + how_far] += 1
        if law is not None and seen[law + how_far] <= 3:
            settings = replace(settings, limits=limits)
            same = partial(_same, settings, chosen.engines, law)
            say(f"{seed}: {law} {settings.keep_going=} {settings.limits=} {settings.symmetry=}\n")
            sys.stdout.flush()
            place = chosen.into / f"{seed}.fizz"
            place.write_text(text)
            if seen[law + how_far] <= 1:
                with staged():
                    place.with_suffix(".small").write_text(f"# {law} {settings}\n" + reduced(text, same))
    say(f"{dict(seen)} in {time.monotonic() - begun:.0f} s\n")


if __name__ == "__main__":
    main()
