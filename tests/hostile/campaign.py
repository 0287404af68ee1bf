"""A campaign of hostile inputs: `python -m tests.hostile.campaign --cases 5000`.

Nothing that a model, an option or a file says may run anything, change a file that is no output, take all memory or
time, or end in anything but an answer or a message. Each case is one run of the command in a child of this process,
under limits. A table tells how the cases of each class ended; the smallest failing case of each cause is kept.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from tests.hostile import checkpoints, deep, expressions, inputs, names, recordings, surroundings, texts
from tests.hostile.case import MODEL, Case
from tests.hostile.child import Child, Ended, Limits, warm
from tests.hostile.shrink import shrunk
from tests.hostile.verdict import KINDS, OK, Verdict, judge

Chance = random.Random
Make = Callable[[int, Chance], Case]

_PAUSE_S: Final = 0.003
_MOST_ATTEMPTS: Final = 150
_SHOWN_CAUSE: Final = 150


class Failure(NamedTuple):
    """A case that failed, and how."""

    case: Case
    verdict: Verdict
    ended: Ended


class Range:
    """Where cases run: a folder for their files, and a process in which everything is imported."""

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.limits = limits or Limits()
        self._rooms = 0
        self._checkpoints: dict[str, Mapping[str, bytes]] = {}
        os.environ.setdefault("COLUMNS", "100")
        warm(folder / "warm")

    def start(self, case: Case) -> Child:
        """Run a case."""
        self._rooms += 1
        return Child(case, self.folder / str(self._rooms), self.limits)

    def ended(self, case: Case) -> Ended:
        """Run a case to its end."""
        child = self.start(case)
        while (ended := child.poll()) is None:
            time.sleep(_PAUSE_S)
        child.tidy()
        return ended

    def run(self, cases: Iterable[Case], jobs: int) -> Iterator[tuple[Case, Ended]]:
        """Run cases, so many at a time."""
        waiting = iter(cases)
        running: list[Child] = []
        while True:
            while len(running) < jobs and (case := next(waiting, None)) is not None:
                running.append(self.start(case))
            if not running:
                return
            over = [(child, ended) for child in running if (ended := child.poll()) is not None]
            for child, ended in over:
                running.remove(child)
                child.tidy()
                yield child.case, ended
            if not over:
                time.sleep(_PAUSE_S)

    # --- what cases begin with ---------------------------------------------------------------------------------------

    def _made(self, case: Case, name: str) -> dict[str, bytes]:
        """What a harmless run makes under this name: a file, or the files of a folder."""
        child = self.start(case)
        while child.poll() is None:
            time.sleep(_PAUSE_S)
        made = child.folder / name
        paths = [made] if made.is_file() else [path for path in sorted(made.rglob("*")) if path.is_file()]
        assert paths, f"{case.arguments} did not make {name}: {(child.room / 'output').read_text()}"
        found = {str(path.relative_to(made)): path.read_bytes() for path in paths}
        child.tidy()
        return found

    def checkpoint(self, name: str) -> Mapping[str, bytes]:
        """The files of a checkpoint of a model."""
        if name not in self._checkpoints:
            text, options = checkpoints.SOURCES[name]
            bounds = ("--checkpoint-every", "0", "--max-states", "900")
            case = Case(
                "checkpoint", 0, ("check", MODEL, "--checkpoint", "c", *bounds, *options), {MODEL: text.encode()}
            )
            self._checkpoints[name] = {file: data for file, data in self._made(case, "c").items() if data}
        return self._checkpoints[name]

    @cached_property
    def report(self) -> bytes:
        """A saved report with a counterexample."""
        case = Case("report", 0, ("check", MODEL, "--json", "--keep-going"), {MODEL: inputs.SMALL.encode()})
        return self.ended(case).output

    @cached_property
    def guide(self) -> bytes:
        """A guided trace that fits a model."""
        case = Case("guide", 0, ("check", MODEL, "--save-trace", "g.txt"), {MODEL: inputs.SMALL.encode()})
        return self._made(case, "g.txt")["."]

    @cached_property
    def classes(self) -> Mapping[str, Make]:
        """What makes the cases of each class."""
        return {
            "tokens": _tokens,
            "bytes": _bytes,
            "deep": _deep,
            "expressions": _expressions,
            "front matter": inputs.front_matter,
            "options": inputs.options,
            "constants": inputs.constants,
            "names": names.names,
            "surroundings": surroundings.surroundings,
            "yaml": inputs.yaml_files,
            "reports": inputs.reports_of(lambda: self.report),
            "guides": inputs.guides_of(lambda: self.guide),
            "checkpoints": checkpoints.checkpoints_of(self.checkpoint),
            "logs": recordings.logs,
            "maps": recordings.maps,
            "histories": recordings.histories,
        }

    def case(self, seed: int, kind: str, number: int) -> Case:
        """One case; the same whenever it is asked for."""
        return self.classes[kind](number, Chance(f"{seed} {kind} {number}"))


def _tokens(number: int, chance: Chance) -> Case:
    text = texts.spoiled_tokens(texts.model(chance), chance)
    return Case("tokens", number, inputs.run_of(chance), {MODEL: text.encode("utf-8", "surrogatepass")}, (MODEL,))


def _bytes(number: int, chance: Chance) -> Case:
    data = chance.randbytes(200) if chance.random() < 0.1 else texts.spoiled_bytes(texts.model(chance).encode(), chance)
    return Case("bytes", number, inputs.run_of(chance), {MODEL: data}, (MODEL,))


def _deep(number: int, chance: Chance) -> Case:
    return Case("deep", number, inputs.run_of(chance), {MODEL: deep.deep(chance).encode()}, (MODEL,))


def _expressions(number: int, chance: Chance) -> Case:
    text = expressions.placed(chance)
    return Case("expressions", number, inputs.run_of(chance), {MODEL: text.encode("utf-8", "surrogatepass")}, (MODEL,))


# --- the campaign ----------------------------------------------------------------------------------------------------


class Campaign:
    """Cases of some classes, and what came of them."""

    def __init__(self, place: Range, seed: int, kinds: tuple[str, ...]) -> None:
        self.place = place
        self.seed = seed
        self.kinds = kinds
        self.table: Counter[tuple[str, str]] = Counter()
        self.failures: list[Failure] = []
        self.cpu_s = 0.0

    def cases(self, count: int) -> Iterator[Case]:
        """So many cases, of each class as many as of any other."""
        for i in range(count):
            yield self.place.case(self.seed, self.kinds[i % len(self.kinds)], i // len(self.kinds))

    def run(self, cases: Iterable[Case], jobs: int = 1, told: Callable[[Failure], None] = lambda failure: None) -> None:
        """Run cases and note how they ended; `told` is told of each failure."""
        for case, ended in self.place.run(cases, jobs):
            verdict = judge(case, ended)
            self.cpu_s += ended.cpu_s
            self.table[case.kind, verdict.kind] += 1
            if verdict.kind != OK:
                self.failures.append(Failure(case, verdict, ended))
                told(self.failures[-1])

    def lines(self) -> list[str]:
        """The table: classes down, results across."""
        results = [OK, *[kind for kind in KINDS if any(self.table[name, kind] for name in self.kinds)]]
        width = max(map(len, self.kinds))
        head = " ".join([" " * width, "cases".rjust(7), *[result.rjust(max(7, len(result))) for result in results]])
        rows = []
        for name in (*self.kinds, "all"):
            counts = [
                sum(n for (k, r), n in self.table.items() if name in (k, "all") and r == result) for result in results
            ]
            cells = [str(n).rjust(max(7, len(result))) for n, result in zip(counts, results, strict=True)]
            rows.append(" ".join([name.ljust(width), str(sum(counts)).rjust(7), *cells]))
        return [head, *rows]

    def least(self) -> list[Failure]:
        """Of the failures of one cause the smallest."""
        found: dict[tuple[str, str], Failure] = {}
        for failure in sorted(self.failures, key=lambda failure: failure.case.size):
            found.setdefault(failure.verdict, failure)
        return list(found.values())

    def made_small(self, failure: Failure) -> Failure:
        """The same failure of a smaller case."""

        def fails(case: Case) -> bool:
            verdict = judge(case, self.place.ended(case))
            # A traceback has a place, which is the cause; other kinds tell none that stays.
            return verdict.kind == failure.verdict.kind and (
                verdict.kind not in ("traceback", "70") or _place(verdict) == _place(failure.verdict)
            )

        slow = failure.verdict.kind in ("hang", "memory")
        case = shrunk(failure.case, fails, _MOST_ATTEMPTS // 10 if slow else _MOST_ATTEMPTS)
        return failure._replace(case=case)


def _place(verdict: Verdict) -> str:
    return verdict.cause.rpartition(" at ")[2]


def keep(failure: Failure, folder: Path) -> Path:
    """Write down a failing case: its files, and how to run it."""
    place = folder / f"{failure.verdict.kind}-{failure.case.kind}-{failure.case.number}".replace(" ", "-")
    failure.case.lay_out(place / "files")
    before = [name if text is None else f"{name}={text!a}" for name, text in failure.case.environment.items()]
    command = " ".join([*before, "fizzpy", *map(repr, failure.case.arguments)])
    said = failure.ended.output[-3000:].decode("utf-8", "backslashreplace")
    head = f"{failure.case.name}: {failure.verdict.kind}: {failure.verdict.cause}"
    told = "\n".join([head, command, "", failure.ended.details[-3000:], said, ""])
    (place / "how.txt").write_text(told, encoding="utf-8", errors="backslashreplace")
    return place


def main() -> int:
    """Run a campaign as the arguments say; 1 if any case failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=500, help="how many, over all classes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", metavar="CLASS", help="only this class; repeatable")
    parser.add_argument("--case", metavar="CLASS:N", help="one case alone, and all that it printed")
    parser.add_argument("--jobs", type=int, default=1, help="how many at a time")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where failing cases are kept")
    given = parser.parse_args()
    say = sys.stdout.write
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        place = Range(Path(folder))
        strangers = set(given.only or ()) - set(place.classes)
        if strangers or (given.case and given.case.partition(":")[0] not in place.classes):
            parser.error(f"the classes are {', '.join(place.classes)}")
        if given.case:
            return _one(place, given.seed, given.case, given.keep)
        campaign = Campaign(place, given.seed, tuple(given.only or place.classes))

        def tell(failure: Failure) -> None:
            say(f"{failure.case.name}: {failure.verdict.kind}: {failure.verdict.cause[:_SHOWN_CAUSE]!a}\n")
            sys.stdout.flush()

        campaign.run(campaign.cases(given.cases), given.jobs, tell)
        say("\n".join([*campaign.lines(), f"{campaign.cpu_s:.0f} CPU s in children", ""]))
        for failure in campaign.least() if given.keep else ():
            say(f"kept: {keep(campaign.made_small(failure), given.keep)}\n")
            sys.stdout.flush()
    return 1 if campaign.failures else 0


def _one(place: Range, seed: int, name: str, folder: Path | None) -> int:
    kind, _, number = name.rpartition(":")
    case = place.case(seed, kind, int(number))
    ended = place.ended(case)
    verdict = judge(case, ended)
    if folder is not None:
        keep(Failure(case, verdict, ended), folder)
    sys.stdout.write(
        f"{list(case.arguments)!a}\n{ended.output.decode('utf-8', 'backslashreplace')!a}\n".replace("\\n", "\n")
    )
    sys.stdout.write(f"exit code {ended.code}, {ended.cpu_s:.2f} CPU s: {verdict.kind} {verdict.cause!a}\n")
    return 0 if verdict.kind == OK else 1


if __name__ == "__main__":
    sys.exit(main())
