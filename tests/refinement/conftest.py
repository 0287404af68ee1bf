"""What the tests of refinement share: two texts, of a model and of the abstract one that it refines, and a check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.report import PropertyReport, Report
from checker.search.registry import ENGINES
from tests.spark.conftest import stage

__all__ = ["stage"]

Refine = Callable[..., Report]
NAME = "refines abstract.fizz"


@pytest.fixture
def refine(tmp_path: Path) -> Refine:
    """Check a text beside `abstract.fizz`, which has the other text."""

    def run(text: str, abstract: str, engine: str = "embedded", **settings: object) -> Report:
        (tmp_path / "abstract.fizz").write_text(abstract)
        path = tmp_path / "m.fizz"
        path.write_text(text)
        return check(path, engine=engine, settings=Settings(**settings))  # type: ignore[arg-type]

    return run


def verdict(report: Report, name: str = NAME) -> PropertyReport:
    """What the report says about the refinement."""
    return next(one for one in report.properties if one.name == name)


IN_PROCESS = tuple(name for name, one in ENGINES.items() if "spark" not in (name, one.variant_of))
IN_PARTITIONS = tuple(name for name in ENGINES if name not in IN_PROCESS)
