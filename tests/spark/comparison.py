"""Compares reports: the embedded engine's with those of Spark, every level of which is a job.

    python -m tests.spark.comparison --partitions 1,2,3,8 --master 'local[2]' [--most-states N] [--seconds S]

runs all quick promises of the models and prints where the reports differ.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from checker.core.report import Report
from checker.expectations.promises import Promise, promises_below
from checker.report.json_report import json_report
from tests.spark.conftest import settings_for

MODELS = Path(__file__).resolve().parents[2] / "models"


def quick_promises() -> list[Promise]:
    """The runs that the models promise something about and that do not take long, small ones first."""
    quick = [promise for promise in promises_below(MODELS) if promise.mark == "quick"]
    return sorted(quick, key=lambda promise: int(promise.figures.get("states", 0)))


def common_part(report: Report) -> dict[str, Any]:
    """What a report says that is the same for every engine."""
    calm = replace(report, engine="", elapsed_s=0.0, cpu_s=0.0, peak_memory_mb=0.0, stats={})
    part: dict[str, Any] = json.loads(json_report(calm))
    return part


def differences(promise: Promise, partitions: tuple[int, ...], ours: dict[str, Any]) -> Iterator[str]:
    """What Spark reports otherwise, in so many partitions, in the session of this process."""
    for count in partitions:
        chosen = settings_for(count)
        theirs = common_part(promise.run("spark", spark_from=0, spark_conf=chosen.spark_conf))
        for name in sorted(ours.keys() | theirs.keys()):
            if ours.get(name) != theirs.get(name):
                yield f"{promise.title}, {count} partitions: {name}: {ours.get(name)} | {theirs.get(name)}"


def main() -> int:
    """Compare, and print what differs; 1 if anything does."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--master", default="local[2]")
    arguments.add_argument("--partitions", default="1,2,3,8")
    arguments.add_argument("--most-states", type=int, default=10**9)
    arguments.add_argument("--seconds", type=float, default=10**9)
    given = arguments.parse_args()
    from checker.search.spark.java import find_java
    from checker.search.spark.spark_connection import open_session

    partitions = tuple(map(int, given.partitions.split(",")))
    session = open_session(given.master, {}, find_java(os.environ))
    begun = time.monotonic()
    found: list[str] = []
    done = states = 0
    try:
        for promise in quick_promises():
            ours = promise.run("embedded")
            if ours.states > given.most_states:
                continue
            if time.monotonic() - begun > given.seconds:
                print(f"the time is over before {promise.title}", flush=True)
                break
            news = list(differences(promise, partitions, common_part(ours)))
            found += news
            done, states = done + 1, states + ours.states
            print(
                *news, f"{done} {promise.title}: {ours.states:,} {time.monotonic() - begun:.0f} s", sep="\n", flush=True
            )
    finally:
        session.close()
    print(f"{done} promises, {states:,} states, partitions {partitions}, {given.master}: {len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
