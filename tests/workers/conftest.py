"""What the tests of workers share: models, and checks with workers that begin as soon as one state waits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from checker.check import check
from checker.core.exploration import Settings
from checker.core.report import Report
from checker.search import registry
from checker.search.columns.sizes import Sizes
from checker.search.engines.embedded import EmbeddedEngine, Sharing

SAFE = """\
---
deadlock_detection: false
options: {max_actions: 3}
---
role Job:
    action Init: self.left = 2
action Init:
    nodes = [{"state": "a", "log": []}, {"state": "b", "log": [1.0]}]
    job, sent = None, set()
atomic action Grow:
    n = oneof [0, 1]
    value = oneof [1, 1.0, True, -0.0, 0.0]
    nodes[n]["log"].append(value)
action Swap:
    nodes[0]["state"] = nodes[1]["state"]
    nodes[1]["state"] = "c"
atomic action Send:
    number = oneof [1, 2, 3]
    name = oneof ["x", "y", "z"]
    m = (number, name)
    require m not in sent
    sent.add(m)
atomic action Take:
    m = oneof sent if m[0] > 1
    sent.discard(m)
    nodes[0]["log"].append(m[0])
atomic action Hire:
    require job == None
    job = Job()
atomic action Work:
    require job != None
    job.left -= 1
    if job.left == 0:
        job = None
always assertion Short: return len(nodes[0]["log"]) < 4
always assertion Few: return len(sent) < 4
"""
"""Sets by elements, divided containers, threads, crashes, instances that come and go; values that are met late."""

BY_ELEMENTS = Sizes(many_values=0)


@contextmanager
def workers(count: int, sizes: Sizes = BY_ELEMENTS, wide: int = 1) -> Iterator[None]:
    """The embedded engine uses so many workers in the block, from that width on."""
    engine = EmbeddedEngine(2, sizes, shared=Sharing(count, wide))
    entry = registry.ENGINES["embedded"]._replace(make=lambda: engine)
    with patch.dict(registry.ENGINES, {"embedded": entry}):  # type: ignore[arg-type]
        yield


def checked(model: Path, count: int, settings: Settings, sizes: Sizes = BY_ELEMENTS) -> Report:
    """The report of a check with so many workers."""
    with workers(count, sizes):
        return check(model, engine="embedded", settings=settings)
