"""Random faults against running checks: `python -m tests.faults.campaign [--faults 20] [--seed 1]`.

`--kinds` and `--masters` choose among the faults and the places where a check may run. Each time a check is begun,
something is done to it at a random moment, and it is resumed: its answer must be the one of a check that was left in
peace. Takes some minutes; Linux only, since it looks for processes in /proc.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.checkpoint.test_command import LARGER
from tests.faults.faults import (
    Answer,
    Case,
    answer,
    disk_full,
    driver_killed,
    executor_killed,
    file_damaged,
    python_worker_killed,
    task_failed_twice,
)

Fault = Callable[[Case], Answer | None]

EMBEDDED = ("--engine", "embedded")
_SPARK = ("--engine", "spark", "--spark-from", "0", "--conf", "spark.default.parallelism=3")
SPARK = (*_SPARK, "--master", "local[2]")
EXECUTORS = (*_SPARK, "--master", "local-cluster[2,1,1024]")

_IN_PARTITIONS = ("--conf", "spark.fizzpy.core=0")
JUDGING = (*SPARK, *_IN_PARTITIONS)
EXECUTORS_JUDGING = (*EXECUTORS, *_IN_PARTITIONS)

KINDS: dict[str, list[tuple[Fault, tuple[str, ...]]]] = {
    "driver killed": [(driver_killed, EMBEDDED), (driver_killed, SPARK), (driver_killed, JUDGING)],
    "python worker killed": [(python_worker_killed, SPARK), (python_worker_killed, JUDGING)],
    "task failed twice": [(task_failed_twice, SPARK), (task_failed_twice, JUDGING)],
    "executor killed": [(executor_killed, EXECUTORS), (executor_killed, EXECUTORS_JUDGING)],
    "disk full": [(disk_full, EMBEDDED), (disk_full, SPARK)],
    "file damaged": [(file_damaged, EMBEDDED), (file_damaged, SPARK)],
}
"""What may be done to which runs. Those that judge liveness in the partitions meet it while they do so."""


def main(arguments: list[str]) -> int:
    """Run a campaign; 0 if every answer was right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    masters = sorted({_master(engine) for ways in KINDS.values() for _, engine in ways})
    parser.add_argument("--masters", nargs="+", choices=masters, default=masters)
    chosen = parser.parse_args(arguments)
    ways = {kind: [way for way in KINDS[kind] if _master(way[1]) in chosen.masters] for kind in chosen.kinds}
    kinds = [kind for kind in ways if ways[kind]]
    if not kinds:
        parser.error("faults of these kinds happen elsewhere")
    chance = random.Random(chosen.seed)
    wrong = refused = 0
    with tempfile.TemporaryDirectory(prefix="fizzpy-faults-") as place:
        models = _models(Path(place))
        calm = {model: answer(Case(model, EMBEDDED, Path(place), chance).begin()) for model in models}
        for number in range(chosen.faults):
            kind = kinds[number % len(kinds)]
            fault, engine = chance.choice(ways[kind])
            judging = _IN_PARTITIONS[1] in engine
            model = models[0] if judging else chance.choice(models)
            begun = time.monotonic()
            case = Case(model, engine, Path(place) / str(number), chance, judging)
            told = _outcome(fault, case, calm[model]) + ("" if all(case.met) else " (the run was over before)")
            wrong += told.startswith("WRONG")
            refused += told.startswith("refused")
            when = "judging liveness" if judging else "exploring"
            what = f"{number + 1:3}  {kind:20} {_master(engine):23} {when:17} {Path(model[0]).stem:28}"
            print(f"{what} {told}, {time.monotonic() - begun:.0f} s", flush=True)
    same = chosen.faults - wrong - refused
    print(f"{same} of {chosen.faults} gave the same answer, {refused} refused to go on, {wrong} went wrong")
    return 1 if wrong else 0


def _master(engine: tuple[str, ...]) -> str:
    """Where a check of these arguments runs."""
    return engine[engine.index("--master") + 1] if "--master" in engine else "embedded"


def _outcome(fault: Fault, case: Case, calm: Answer) -> str:
    try:
        found = fault(case)
    except AssertionError as failure:
        return f"WRONG: {failure}"
    if found is None:
        return "refused with code 74"
    return "the same answer" if found == calm else f"WRONG: {found}"


def _models(place: Path) -> list[tuple[str, ...]]:
    """One with lassos to look for, first, and one with many values."""
    path = place / "larger.fizz"
    path.write_text(LARGER)
    return [(str(path), "--keep-going"), ("models/kafka/KafkaTruncateToHighWatermark.fizz", "--keep-going")]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
