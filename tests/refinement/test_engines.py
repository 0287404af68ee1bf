"""Every engine gives the same report of a refinement, Spark's too."""

from __future__ import annotations

import json

import pytest

from checker.report.json_report import json_report
from tests.refinement.conftest import IN_PARTITIONS, IN_PROCESS, Refine
from tests.spark.conftest import Stage

ABSTRACT = """\
SIZE = 9
action Init:
    committed = []
    pending = 0
atomic action Begin:
    require pending == 0 and len(committed) < SIZE
    pending = oneof [1, 2]
atomic action Commit:
    require pending != 0
    committed.append(pending)
    pending = 0
atomic action Rest: pass
eventually always assertion Quiet:
    return len(committed) <= SIZE
"""

MODEL = """\
---
options: {{max_actions: {most}}}
---
SIZE = 2
@state(durable=["log"])
symmetric role Writer:
    action Init:
        self.log = []
        self.draft = 0
    action Write:
        require self.draft == 0 and len(order) < {size}
        self.draft = oneof [1, 2]
        require len(order) < {size}
        order.append(self.draft)
        self.draft = 0
action Init:
    order = []
    writers = bag()
    writers.add_all([Writer(), Writer()])
atomic action Rest: pass
def committed(order):
    return {{"committed": order}}
refines "abstract.fizz" with committed
"""


def _told(refine: Refine, engine: str, size: int, most: int, **settings: object) -> object:
    report = refine(MODEL.format(size=size, most=most), ABSTRACT, engine, **settings)
    fields = json.loads(json_report(report))
    for name in ("engine", "elapsed_s", "cpu_s", "peak_memory_mb"):
        fields.pop(name)
    return fields


@pytest.mark.parametrize("engine", [name for name in IN_PROCESS if name != "plain"])
@pytest.mark.parametrize(("size", "most"), [(1, 100), (2, 100), (2, 2)])
def test_engines_in_this_process(refine: Refine, engine: str, size: int, most: int) -> None:
    """Verdict, counts and counterexample are those of the plain engine."""
    assert _told(refine, engine, size, most) == _told(refine, "plain", size, most)


@pytest.mark.parametrize("engine", IN_PARTITIONS)
def test_engines_in_partitions(refine: Refine, engine: str, stage: Stage) -> None:
    """The same where every level is a job on Spark."""
    conf = (("spark.default.parallelism", "2"), ("spark.fizzpy.core", "0"))
    found = _told(refine, engine, 2, 100, spark_from=0, spark_conf=conf)
    assert found == _told(refine, "plain", 2, 100)


def test_what_the_models_are(refine: Refine) -> None:
    """One of them refines; in the other one two writers pass the guard together, and one writes too much."""
    assert _verdicts(_told(refine, "plain", 1, 100)) == {"refines abstract.fizz": "holds", "deadlock": "holds"}
    assert _verdicts(_told(refine, "plain", 2, 100))["refines abstract.fizz"] == "violated"


def _verdicts(told: object) -> dict[str, str]:
    assert isinstance(told, dict)
    return {one["name"]: one["verdict"] for one in told["properties"]}
