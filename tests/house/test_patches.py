"""Tests give parameters; a constant of the product is replaced only where none would reach it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.house.test_fences import ROOT

REASONS = {
    "EACH": "of the meter that is one in a process; steps of few successors are to pass its limits",
    "_MODEST": "of the same meter",
    "FEW": "values have no settings",
    "MAX_COMPARISONS": "values have no settings",
    "MAX_TURNS": "whole reports are compared, of every variant in the registry, and `check` makes their memories",
    "MOST_PASSED": "the same",
    "TURNS_AHEAD": "the same",
    "_IN_MEMORY": "tasks make their stores, and small models send few bytes",
    "_MB": "`--memory` is given in megabytes, and small models have none of them",
    "_PATIENCE_S": "how long Spark's executors are waited for: nothing that a user could want to set",
    "_RANGE": "as for _SLICE",
    "_SLICE": "tasks make their partitions from what the driver sends, which has no thresholds",
    "_WAITS_S": "how long a file system is waited for",
    "MOST_NODES": "models that are small have few nodes, and workers make their memories",
    "NET_S": "seconds after which a mutant is given up, far more than any takes: nothing that a user could want to set",
    "_SLOWER": "the same, in proportion",
    "_TICK_S": "`check` and `simulate` make their clocks; a model that takes a second would take it in each run",
}
"""Why a constant is replaced."""


def patched() -> Iterator[str]:
    """The constants that tests replace, by their names."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
                ("monkeypatch.setattr", "patch.object", "patch")
            ):
                names = [one.value for one in node.args[:2] if isinstance(one, ast.Constant)]
                yield from (name.rpartition(".")[2] for name in names if isinstance(name, str))


def test_constants_are_parameters() -> None:
    """Each constant that is replaced has its reason, and each reason its constant."""
    assert {name for name in patched() if re.fullmatch(r"_?[A-Z][A-Z0-9_]+", name)} == REASONS.keys()
