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
from tests.spark.models import PARTS

SENDING = """\
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
always assertion Few: return len(sent) < 4
"""
SAFE = PARTS.replace("job, kind = None, True", "job, sent = None, set()").replace("< 9", "< 4") + SENDING
"""Sets by elements, divided containers, threads, crashes, instances that come and go; values that are met late."""

BY_ELEMENTS = Sizes(many_values=0)


@contextmanager
def workers(count: int | None, sizes: Sizes = BY_ELEMENTS, wide: int = 1) -> Iterator[None]:
    """The embedded engine uses so many workers in the block, from that width on."""
    engine = EmbeddedEngine(2, sizes, shared=Sharing(count, wide))
    entry = registry.ENGINES["embedded"]._replace(make=lambda: engine)
    with patch.dict(registry.ENGINES, {"embedded": entry}):  # type: ignore[arg-type]
        yield


def checked(model: Path, count: int | None, settings: Settings, sizes: Sizes = BY_ELEMENTS) -> Report:
    """The report of a check with so many workers."""
    with workers(count, sizes):
        return check(model, engine="embedded", settings=settings)
